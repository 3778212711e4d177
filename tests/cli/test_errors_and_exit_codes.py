"""What goes wrong, where it is said, and with which exit code; pipes, signals and full disks."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command_line import READ_ALL, Command, Shell, note
from tests.servers import FaultServer, Reply, openai_error, refusing_address
from text2mem.providers import transport

DONE, FAILED, USAGE, UNREACHABLE = 0, 1, 2, 3
SECRET = "sk-a-key-that-nobody-may-see"


# --- usage ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["complie", "x"], "Did you mean 'compile'?"),
        (["xyzzy"], "There is no command 'xyzzy'."),
        (["compile", "--modle", "x", "y"], "--model"),
        (["compile", "--attempts", "-1", "x"], "-1 is not in the range"),
        (["compile", "--seed", "x", "y"], "'x' is not a valid integer"),
        (["compile", ""], "no words are given"),
        (["compile"], "nothing is said: give an utterance"),
        (["run"], "nothing is said"),
        (["observe"], "nothing is said"),
        (["exec"], "nothing to read"),
        (["run", ""], "no words are given"),
        (["observe", "--model", "none", ""], "no words are given"),
        (["exec", "--basis", "x"], "basis"),
        (["worker", "--lease", "99999999999999"], "is not in the range"),
        (["worker", "--poll", "nan"], "it is no number of seconds"),
        (["worker", "--poll", "1e12"], "is not in the range"),
        (["stats", "--now", "0001-01-01", "--tz", "America/New_York"], "the end of the calendar"),
        (["stats", "--now", "9999-12-31"], "the end of the calendar"),
        (["validate"], "nothing to read"),
        (["exec", "--jsonl"], "nothing to read"),
        (["exec", "missing.json"], "cannot read missing.json: No such file or directory"),
        (["exec", "."], "cannot read .: Is a directory"),
        (["validate", "one.json", "two.json"], "unexpected extra argument"),
        (["schema", "xyz"], "'xyz' is not one of 'ir', 'result'"),
        (["grammar", "bnf"], "'bnf' is not one of 'gbnf', 'lark'"),
        (["models", "lst"], "'lst'"),
        (["models", "path", "gpt"], "unknown local model 'gpt'"),
        (["models", "pull", "gpt"], "unknown local model 'gpt'"),
        (["compile", "-m", "gpt", "x"], "does not name a model"),
        (["compile", "-m", "opnai:gpt-4o", "x"], "did you mean 'openai'?"),
        (["compile", "-m", "local:qwen", "x"], "unknown local model 'qwen'"),
        (["compile", "-m", "local:/nowhere.gguf", "x"], "there is no file /nowhere.gguf"),
        (["compile", "-m", "function:nowhere:f", "x"], "cannot load the function"),
        (["compile", "-m", "openai:gpt-4o", "x"], "OPENAI_API_KEY is not set"),
        (["run", "--now", "whenever", "x"], "--now: not a readable instant"),
        (["run", "--tz", "Mars/Olympus", "x"], "no time zone 'Mars/Olympus'"),
        (["run", "--tz", "../../etc/passwd", "x"], "no time zone"),
        (["run", "--role", "team", "x"], "a --role needs an --actor"),
        (["undo"], "Missing argument 'TRACE_ID'"),
        (["undo", "x", "--role", "team"], "a --role needs an --actor"),
        (["show"], "Missing argument 'ID'"),
        (["export", " "], "no subject is named"),
        (["list", "--db", "x" * 300], "there is no store xxx"),
        (["log", "--limit", "0"], "0 is not in the range"),
        (["log", "--id"], "requires an argument"),
        (["tick", "--now", "whenever"], "--now: not a readable instant"),
        (["tick", "--yes"], "--yes"),
        (["registry"], "Commands:"),
        (["registry", "get"], "'get'"),
        (["registry", "set"], "nothing to read"),
        (["registry", "check", "missing.json"], "cannot read missing.json"),
        (["registry", "show", "--db", "nosuch:x"], "there is no adapter 'nosuch'"),
        (["reindex", "--embedder", "x"], "there is no embedder 'x'"),
        (["run", "--db", "nosuch:x", "x"], "there is no adapter 'nosuch'"),
        (["run", "--db", "no/such/folder/x.db", "x"], "is the folder there?"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_callers_mistake_is_said_on_stderr(
    text2mem: Command, folder: Path, arguments: list[str], said: str
) -> None:
    done = text2mem(*arguments)
    assert (done.code, done.out) == (USAGE, "")
    assert said in done.err
    assert not [*folder.iterdir()]  # and no store is made


@pytest.mark.parametrize(
    ("arguments", "code", "kind"),
    [
        ("list --json --db no.db", USAGE, "ConfigurationError"),
        ("stats --json --tz Nowhere", USAGE, "ConfigurationError"),
        ("exec --json no.json", USAGE, "ConfigurationError"),
        ("list --json --limit 0", USAGE, "BadParameter"),
        ("compile --json --model nothing x", USAGE, "ConfigurationError"),
    ],
)
def test_json_that_was_asked_for_comes_with_an_error_that_ends_the_command(
    text2mem: Command, arguments: str, code: int, kind: str
) -> None:
    done = text2mem(*arguments.split())
    assert done.code == code and done.err
    assert (done.json["ok"], done.json["error"]["type"]) == (False, kind)


def test_a_service_that_is_not_there_is_json_where_that_was_asked_for(
    text2mem: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    done = text2mem("compile", "--json", "--model", "ollama:x", "x")
    assert done.code == 3 and "cannot reach" in done.err
    assert done.json["error"]["type"] == "ServiceUnreachable"


def test_a_refusal_in_json_has_its_code(text2mem: Command) -> None:
    text2mem("exec", "--db", "a.db", stdin='[{"op": "Encode", "args": {"payload": {"text": "x"}}}]')
    done = text2mem("show", "9", "--db", "a.db", "--json")
    assert (done.code, done.json["error"]["code"]) == (1, "not-found")


def test_help_and_version_are_data(text2mem: Command) -> None:
    for arguments in (["--help"], ["-h"], ["compile", "--help"], ["models", "pull", "-h"]):
        done = text2mem(*arguments)
        assert (done.code, done.err) == (DONE, "")
        assert done.out.startswith("Usage: text2mem")
    assert text2mem("--version").out.startswith("text2mem, version ")


def test_no_command_is_a_mistake_that_is_answered_with_the_help(text2mem: Command) -> None:
    done = text2mem()
    assert (done.code, done.out) == (USAGE, "")
    assert "Commands:" in done.err


def test_a_wrong_zone_of_the_environment_is_a_mistake(
    text2mem: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEXT2MEM_TZ", "Mars/Olympus")
    assert text2mem("compile", "note x").code == USAGE


# --- services ------------------------------------------------------------------------------


@pytest.fixture
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Attempts follow one another at once."""
    monkeypatch.setattr(transport, "_wait", lambda state: 0.0)


@pytest.mark.usefixtures("no_pauses")
@pytest.mark.parametrize(
    ("model", "variable"), [("openai:gpt-4o", "OPENAI_BASE_URL"), ("ollama:x", "OLLAMA_HOST")]
)
def test_a_server_that_is_not_there_ends_the_batch_with_3(
    text2mem: Command, monkeypatch: pytest.MonkeyPatch, model: str, variable: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    with refusing_address() as address:
        monkeypatch.setenv(variable, address)
        done = text2mem("compile", "-m", model, stdin="Do what I said.\nDo it again.\n")
    assert (done.code, done.out) == (UNREACHABLE, "")
    assert done.err.count("error: ") == 1
    assert address in done.err
    assert SECRET not in done.err


def test_a_key_that_is_not_accepted_is_a_mistake_and_stays_secret(
    text2mem: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = openai_error(f"Incorrect API key provided: {SECRET}", "invalid_api_key")
    with FaultServer(Reply(401, said)) as server:
        monkeypatch.setenv("OPENAI_API_KEY", SECRET)
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.address}/v1")
        done = text2mem("compile", "-m", "openai:gpt-4o", stdin="note one\nnote two\n")
    assert (done.code, done.out) == (USAGE, "")
    assert "OPENAI_API_KEY" in done.err
    assert SECRET not in done.err


# --- stores --------------------------------------------------------------------------------


def test_files_that_are_no_store_are_refused(text2mem: Command, folder: Path) -> None:
    (folder / "a_folder").mkdir()
    (folder / "noise.db").write_bytes(random.Random(0).randbytes(20_000))
    with sqlite3.connect(folder / "foreign.db") as foreign:
        foreign.execute("CREATE TABLE theirs (x)")
    foreign.close()
    text2mem("run", "note one", "--db", "good.db")
    good = (folder / "good.db").read_bytes()
    (folder / "cut.db").write_bytes(good[: len(good) // 3])
    for name in ("a_folder", "noise.db", "foreign.db", "cut.db"):
        done = text2mem("exec", "--db", name, stdin=json.dumps(READ_ALL))
        assert (done.code, done.out) == (USAGE, "")
        assert done.err.startswith("error: ")
        assert name in done.err
        assert text2mem("doctor", "--db", name).code == FAILED


def test_a_store_of_a_newer_version_is_refused(text2mem: Command, folder: Path) -> None:
    text2mem("run", "note one", "--db", "newer.db")
    with sqlite3.connect(folder / "newer.db") as store:
        store.execute("INSERT INTO migrations VALUES ('0999_the_future.sql', '2031-01-01')")
    store.close()
    done = text2mem("exec", "--db", "newer.db", stdin=json.dumps(READ_ALL))
    assert (done.code, done.out) == (USAGE, "")
    assert "newer version" in done.err


def test_a_store_that_is_damaged_inside_is_an_error_without_a_traceback(
    text2mem: Command, folder: Path
) -> None:
    rows = "\n".join(json.dumps(note(f"note {n} " * 40)) for n in range(200))
    text2mem("exec", "--jsonl", "--db", "damaged.db", stdin=rows)
    whole = bytearray((folder / "damaged.db").read_bytes())
    for page in range(30 * 4096, len(whole), 4096):
        whole[page : page + 64] = b"\xee" * 64
    (folder / "damaged.db").write_bytes(whole)
    done = text2mem("exec", "--db", "damaged.db", stdin=json.dumps(READ_ALL))
    assert done.code in (FAILED, USAGE)
    assert "malformed" in done.err
    assert text2mem("doctor", "--db", "damaged.db").code in (DONE, FAILED)


@pytest.mark.skipif(os.geteuid() == 0, reason="to root no file is read-only")
def test_a_store_that_is_read_only_is_refused(text2mem: Command, folder: Path) -> None:
    text2mem("run", "note one", "--db", "fixed.db")
    (folder / "fixed.db").chmod(0o444)
    folder.chmod(0o555)
    try:
        assert text2mem("run", "note two", "--db", "fixed.db").code == USAGE
        assert text2mem("doctor", "--db", "fixed.db").code == FAILED
    finally:
        folder.chmod(0o755)


# --- bugs ----------------------------------------------------------------------------------


def test_a_bug_is_a_line_and_no_traceback(text2mem: Command) -> None:
    done = text2mem("compile", "crash")
    assert (done.code, done.out) == (FAILED, "")
    assert done.err == "error: unexpected RuntimeError: a bug of the model's code\n"


def test_the_development_mode_of_python_shows_where_a_bug_is(
    process_environment: dict[str, str],
) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-m", "text2mem", "compile", "crash"],
        env=process_environment, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == FAILED
    assert b"scripted.py" in done.stderr


def test_a_line_of_five_megabytes_is_refused(text2mem: Command) -> None:
    done = text2mem("compile", stdin=b"x" * 5_000_000)
    assert done.code in (FAILED, USAGE)
    assert "5000000 characters" in done.err
    assert len(done.err) < 500


# --- pipes, streams and signals ------------------------------------------------------------


def test_a_reader_that_has_seen_enough_is_no_failure(shell: Shell) -> None:
    done = shell("seq 2000 | text2mem compile --jsonl | head -1; exit ${PIPESTATUS[1]}")
    assert (done.code, done.err) == (DONE, "")
    assert done.json["utterance"] == "1"
    done = shell("text2mem schema | head -1; exit ${PIPESTATUS[0]}")
    assert (done.code, done.out, done.err) == (DONE, "{\n", "")


_NOTES = "seq 2000 | sed 's/.*/{}/'"


@pytest.mark.parametrize(
    ("rows", "command"),
    [
        (_NOTES.format(json.dumps(note("&"))), "exec --jsonl"),
        ("seq 200 | sed 's/.*/note &/'", "run --jsonl"),
        ("seq 200 | sed 's/.*/note &/'", "repl --yes"),
    ],
)  # fmt: skip
def test_what_is_written_is_written_without_a_reader(
    shell: Shell, text2mem: Command, rows: str, command: str
) -> None:
    done = shell(f"{rows} | text2mem {command} | head -1; exit ${{PIPESTATUS[1]}}")
    assert (done.code, done.err) == (DONE, "")
    assert done.out.count("\n") == 1
    stored = sum(text2mem("stats").json["memories"].values())
    assert stored == (2000 if "exec" in command else 200)


def test_what_fails_without_a_reader_is_said(shell: Shell) -> None:
    line = r"(seq 200 | sed 's/.*/note &/'; echo nonsense) | text2mem run --jsonl | head -1"
    done = shell(f"{line}; exit ${{PIPESTATUS[1]}}")
    assert done.code == FAILED and "error: nonsense" in done.err


def test_a_failure_in_the_first_command_of_a_pipe_reaches_the_last(shell: Shell) -> None:
    line = r"printf 'note a\nnonsense\n' | text2mem compile --jsonl | text2mem exec --jsonl"
    done = shell(f"{line}; echo ${{PIPESTATUS[@]}} >&2")
    assert [row["ok"] for row in done.rows] == [True, False]
    assert done.err.endswith("0 1 1\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("command", ["schema", "run note"])
def test_a_full_disk_is_said(shell: Shell, command: str) -> None:
    done = shell(f"text2mem {command} > /dev/full")
    assert done.code == FAILED
    assert done.err.count("No space left on device") == 1
    assert "unexpected" not in done.err


def test_closed_streams_are_survived(shell: Shell) -> None:
    assert shell("text2mem schema >&-").code == DONE
    assert shell("text2mem validate <&-").code == FAILED
    assert shell("text2mem repl <&-").code == DONE
    assert shell("text2mem validate missing.json 2>&-").code == USAGE


def test_a_pipe_is_utf8_in_every_locale(shell: Shell) -> None:
    done = shell("text2mem compile 记住牛奶 | text2mem exec", PYTHONIOENCODING="latin-1")
    assert done.code == DONE
    assert done.json["results"][0]["changes"][0]["after"] == "记住牛奶"


def test_bytes_of_an_argument_that_are_not_utf8_fail(shell: Shell) -> None:
    done = shell(r"text2mem compile $'note \xff'")
    assert done.code == FAILED
    assert "not UTF-8" in done.json["error"]["message"]


def test_ctrl_c_in_the_middle_of_a_batch_keeps_the_rows_before(
    process_environment: dict[str, str],
) -> None:
    batch = subprocess.Popen(
        [sys.executable, "-m", "text2mem", "compile", "--jsonl"],
        env=process_environment,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert batch.stdin
    assert batch.stdout
    batch.stdin.write(b"note one\n")
    batch.stdin.flush()
    first = batch.stdout.readline()  # comes while the batch is still open
    batch.send_signal(signal.SIGINT)
    out, err = batch.communicate()
    assert json.loads(first)["status"] == "ok"
    assert (batch.returncode, out, err.strip()) == (130, b"", b"interrupted")


def test_ctrl_c_while_the_command_line_is_imported_is_one_line(
    process_environment: dict[str, str],
) -> None:
    script = (
        "import builtins\n"
        "usual = builtins.__import__\n"
        "def interrupted(name, *rest):\n"
        "    if name == 'text2mem.cli.main':\n"
        "        raise KeyboardInterrupt\n"
        "    return usual(name, *rest)\n"
        "builtins.__import__ = interrupted\n"
        "from text2mem.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=process_environment
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")
