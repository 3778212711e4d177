"""compile, exec and run: what goes in, what comes out where, and what the store holds after."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command_line import DELETE_ALL, READ_ALL, Command, Outcome, Shell, Terminal, note
from tests.conftest import MODEL
from text2mem.providers.base import Request


def texts(text2mem: Command, *options: str, db: str = "memory.db") -> list[str]:
    """What a store holds, by reading it; whatever second each was made in."""
    done = text2mem("exec", "-", "--db", db, *options, stdin=json.dumps(READ_ALL))
    assert done.code == 0
    rows = done.json["results"][0]["rows"]
    return [row["text"] for row in sorted(rows, key=lambda row: int(row["id"]))]


# --- compile -------------------------------------------------------------------------------


@pytest.mark.parametrize("said", ["note the milk", "记住我对花生过敏", "note 🥛 and “quotes”"])
def test_an_utterance_becomes_a_program_and_nothing_is_run(
    text2mem: Command, folder: Path, said: str
) -> None:
    done = text2mem("compile", *said.split())
    assert (done.code, done.err) == (0, "")
    assert done.json == [note(said, tags=["said"])]
    assert said in done.out  # readable as it stands, without escapes
    assert list(folder.iterdir()) == []


def test_each_line_of_stdin_becomes_a_row(text2mem: Command) -> None:
    done = text2mem("compile", stdin="note one\n\n  \nnote two\n")
    assert (done.code, done.err) == (0, "")
    assert [row["utterance"] for row in done.rows] == ["note one", "note two"]
    assert all(row["status"] == "ok" and row["attempts"] == 1 for row in done.rows)
    assert done.rows[1]["program"] == [note("note two", tags=["said"])]
    assert set(done.rows[0]["tokens"]) == {"prompt", "output", "cached"}


def test_a_dash_is_stdin_and_jsonl_makes_a_row_of_an_argument(text2mem: Command) -> None:
    assert text2mem("compile", "-", stdin="note one").rows[0]["utterance"] == "note one"
    assert text2mem("compile", "--jsonl", "note", "two").rows[0]["utterance"] == "note two"


def test_a_byte_order_mark_and_windows_line_ends_are_not_part_of_an_utterance(
    text2mem: Command,
) -> None:
    done = text2mem("compile", stdin=b"\xef\xbb\xbfnote one\r\nnote two\r\n")
    assert [row["utterance"] for row in done.rows] == ["note one", "note two"]


def test_bytes_that_are_not_utf8_fail_their_line_alone(text2mem: Command) -> None:
    done = text2mem("compile", stdin=b"note one\nnote \xff\xfe\nnote two\n")
    assert done.code == 1
    assert [row["status"] for row in done.rows] == ["ok", "failed", "ok"]
    assert "not UTF-8: byte 0xff after 5 characters" in done.rows[1]["error"]["message"]
    assert "not UTF-8" in done.err


def test_one_bad_utterance_fails_its_row_alone(text2mem: Command) -> None:
    done = text2mem("compile", stdin="note one\nnonsense\nsilence\nnote two\n")
    assert done.code == 1
    assert [row["status"] for row in done.rows] == ["ok", "failed", "failed", "ok"]
    failed = done.rows[1]["error"]
    assert (failed["type"], failed["attempts"]) == ("RepairExhausted", 2)
    assert "/steps/0/target" in failed["message"]
    assert done.rows[2]["error"]["type"] == "EmptyAnswer"
    assert done.err.startswith("error: nonsense: ")
    assert "[unknown-key]" in done.err


def test_a_program_that_failed_is_a_row_also_for_an_argument(text2mem: Command) -> None:
    done = text2mem("compile", "nonsense")
    assert (done.code, done.rows[0]["status"]) == (1, "failed")


def test_what_the_store_does_not_hold_is_a_warning(text2mem: Command) -> None:
    text2mem("exec", "-", "--db", "memory.db", stdin=json.dumps(note("The ferry leaves at 8:15.")))
    asked = ("--db", "memory.db", "--model", SEEKER, "Where is the zeppelin?")
    alone = text2mem("compile", *asked)
    assert (alone.code, alone.err) == (0, "note: the store holds nothing of 'zeppelin'\n")
    [row] = text2mem("compile", "--jsonl", *asked).rows
    assert [each["code"] for each in row["warnings"]] == ["empty-selection"]
    ran = text2mem("run", *asked).json
    assert ran["warnings"] == row["warnings"] and ran["results"][0]["affected"] == []


def seek(request: Request) -> Any:
    """A model that looks for a zeppelin whatever it is asked."""
    return {"steps": [{"op": "Retrieve", "about": "zeppelin"}]}


SEEKER = f"function:{__name__}:seek"


def test_what_asks_for_nothing_and_an_undo_are_said_so(text2mem: Command, folder: Path) -> None:
    done = text2mem("compile", stdin="thanks a lot\nnote one\nundo that\n")
    assert (done.code, done.err) == (0, "")
    nothing, _, undo = done.rows
    assert (nothing["utterance"], nothing["status"]) == ("thanks a lot", "nothing")
    assert (undo["utterance"], undo["status"]) == ("undo that", "undo")
    assert nothing["attempts"] == undo["attempts"] == 1
    assert list(folder.iterdir()) == []
    assert text2mem("compile", "--text", "thanks").out == "Nothing to do.\n"
    assert text2mem("compile", "--text", "thanks 谢谢").out == "没有要做的事。\n"
    assert text2mem("compile", "--text", "undo").out == "The last change is to be taken back.\n"


def test_a_question_of_the_model_is_a_row_and_no_success(text2mem: Command) -> None:
    done = text2mem("compile", "tidy up")
    assert (done.code, done.json["status"]) == (1, "needs_clarification")
    assert (done.json["question"], done.json["reason"]) == ("Which of them may go?", "model-asks")


def test_an_empty_batch_is_done(text2mem: Command) -> None:
    assert text2mem("compile", stdin="") == Outcome(0, "", "")


def test_the_clock_and_the_zone_reach_the_program(text2mem: Command) -> None:
    expire = {"stage": "STO", "op": "Expire", "target": {"ids": ["1"]}}
    document = json.dumps({**expire, "args": {"until": "2026-03-05"}})
    before = text2mem("validate", "-", "--now", "2026-03-04", stdin=document)
    after = text2mem("validate", "-", "--now", "2026-03-06", stdin=document)
    assert (before.code, after.code) == (0, 1)
    assert after.json["diagnostics"][0]["code"] == "horizon-past"
    # Half past eleven in the evening in Greenwich is the next day in Shanghai.
    late = ("--now", "2026-03-04T23:30:00Z")
    assert text2mem("validate", *late, "--tz", "UTC", stdin=document).code == 0
    assert text2mem("validate", *late, "--tz", "Asia/Shanghai", stdin=document).code == 1


# --- exec ----------------------------------------------------------------------------------


def test_a_program_of_a_file_runs_on_the_store(text2mem: Command, folder: Path) -> None:
    (folder / "program.json").write_text(json.dumps([note("one"), note("two")], indent=2))
    done = text2mem("exec", "program.json", "--db", "notes.db")
    assert (done.code, done.err) == (0, "")
    assert done.json["ok"] is True
    assert [step["created"] for step in done.json["results"]] == [["1"], ["2"]]
    assert texts(text2mem, db="notes.db") == ["one", "two"]


def test_rows_that_failed_are_passed_on_and_the_others_run(text2mem: Command) -> None:
    compiled = text2mem("compile", stdin="note one\nnonsense\nnote two\n")
    done = text2mem("exec", "--jsonl", stdin=compiled.out)
    assert done.code == 1
    assert [(row["utterance"], row["ok"]) for row in done.rows] == [
        ("note one", True), ("nonsense", False), ("note two", True),
    ]  # fmt: skip
    assert done.rows[1]["error"] == compiled.rows[1]["error"]
    assert texts(text2mem) == ["note one", "note two"]


def test_rows_that_ask_for_nothing_are_no_failure(text2mem: Command) -> None:
    compiled = text2mem("compile", stdin="thanks\nnote one\n")
    done = text2mem("exec", "--jsonl", stdin=compiled.out)
    assert (done.code, done.err) == (0, "")
    assert [row["utterance"] for row in done.rows] == ["thanks", "note one"]
    assert (done.rows[0]["status"], done.rows[0]["results"]) == ("nothing", [])
    assert texts(text2mem) == ["note one"]


@pytest.mark.parametrize(
    "row",
    [
        '{"status": "undo", "utterance": "undo that"}',
        '{"status": "ok", "utterance": "x"}',
        '{"status": "failed"}',
        '{"status": "failed", "error": "just words"}',
        '{"status": "failed", "error": {"message": 3}}',
        '{"status": "failed", "error": {"message": "x", "hint": -Infinity}}',
        '{"status": 7, "program": []}',
        '{"status": "ok", "program": null}',
        "null",
        "7",
        "{}",
        "[]",
        "[[[]]]",
        "[",
        "NaN",
        '"\\ud800"',
        "[" * 100_000,
    ],
    ids=lambda row: row[:40],
)
def test_a_row_that_is_no_program_fails_alone(text2mem: Command, row: str) -> None:
    done = text2mem("exec", "--jsonl", stdin=f"{row}\n{json.dumps(note('kept'))}\n")
    assert done.code == 1
    assert [answer["ok"] for answer in done.rows] == [False, True]
    assert done.rows[0]["error"]["message"]
    assert "Infinity" not in done.out, "that is no JSON"
    assert done.err.startswith("error: ")


def test_a_line_end_within_a_text_does_not_end_a_row_of_a_file(
    text2mem: Command, folder: Path
) -> None:
    row = json.dumps(note("one\u2028two\u0085three"), ensure_ascii=False)
    (folder / "rows.jsonl").write_text(f"{row}\n{row}\n", encoding="utf-8")
    done = text2mem("exec", "--jsonl", "rows.jsonl")
    assert (done.code, len(done.rows)) == (0, 2)


def test_rows_are_known_without_being_announced(text2mem: Command) -> None:
    rows = f"{json.dumps(note('one'))}\n{json.dumps(note('two'))}\n"
    assert [row["ok"] for row in text2mem("exec", stdin=rows).rows] == [True, True]


def test_an_illegal_program_is_told_every_diagnostic_and_runs_in_no_part(text2mem: Command) -> None:
    bad = [note("kept?"), {"stage": "STO", "op": "Delete", "target": {}, "args": {"x": 1}}]
    done = text2mem("exec", stdin=json.dumps(bad))
    assert (done.code, done.json["ok"]) == (1, False)
    codes = [found["code"] for found in done.json["error"]["diagnostics"]]
    assert sorted(codes) == ["target-one-selector", "unknown-key"]
    assert all(f"[{code}]" in done.err for code in codes)
    assert texts(text2mem) == []


def test_a_refusal_is_a_result_on_stdout_and_a_line_on_stderr(text2mem: Command) -> None:
    update = {"stage": "STO", "op": "Update", "target": {"ids": ["7"]}, "args": {"set": {}}}
    update["args"] = {"set": {"text": "x"}}
    done = text2mem("exec", stdin=json.dumps([note("kept?"), update]))
    assert (done.code, done.json["ok"]) == (1, False)
    assert done.json["results"][-1]["error"]["code"] == "not-found"
    assert done.err.startswith("error: /1/target")
    assert "[not-found]" in done.err
    assert texts(text2mem) == []


def test_a_program_with_many_ids_is_answered(text2mem: Command) -> None:
    ids = [str(number) for number in range(100_000)]
    done = text2mem("exec", stdin=json.dumps({**READ_ALL, "target": {"ids": ids}}))
    assert (done.code, done.json["ok"]) == (1, False)


# --- who asks, and what is allowed ---------------------------------------------------------


def test_a_wide_delete_needs_yes(text2mem: Command) -> None:
    text2mem("exec", stdin="\n".join(json.dumps(note(f"n{n}")) for n in range(3)))
    delete = json.dumps(DELETE_ALL)

    refused = text2mem("exec", stdin=delete)
    assert refused.code == 1
    assert refused.json["results"][0]["error"]["code"] == "needs-confirmation"
    assert "--yes" in refused.err
    assert len(texts(text2mem)) == 3

    dry = text2mem("exec", "--dry-run", stdin=delete)
    assert dry.code == 0
    assert (dry.json["dry_run"], dry.json["results"][0]["matched"]) == (True, 3)
    assert len(texts(text2mem)) == 3

    assert text2mem("exec", "--yes", stdin=delete).code == 0
    assert texts(text2mem) == []


def test_a_confirmation_of_the_document_counts_with_yes_alone(text2mem: Command) -> None:
    text2mem("run", "note one")
    confirmed = json.dumps({**DELETE_ALL, "meta": {"confirmation": True}})
    assert text2mem("exec", stdin=confirmed).code == 1
    assert text2mem("exec", "--yes", stdin=confirmed).code == 0


def test_actors_roles_and_tenants_see_their_own(text2mem: Command) -> None:
    team = json.dumps(note("for the team", read_perm_level="team"))
    assert text2mem("exec", "--actor", "ann", stdin=team).code == 0
    assert texts(text2mem) == ["for the team"]
    assert texts(text2mem, "--actor", "ann") == ["for the team"]
    assert texts(text2mem, "--actor", "bob") == []
    assert texts(text2mem, "--actor", "bob", "--role", "team") == ["for the team"]
    assert texts(text2mem, "--tenant", "other") == []


# --- run -----------------------------------------------------------------------------------


def test_run_compiles_and_executes(text2mem: Command, folder: Path) -> None:
    done = text2mem("run", "note the milk", "--db", "notes.db")
    assert (done.code, done.err) == (0, "")
    assert done.json["utterance"] == "note the milk"
    assert done.json["program"] == [note("note the milk", tags=["said"])]
    assert done.json["results"][0]["created"] == ["1"]
    assert (folder / "notes.db").exists()


def test_exec_keeps_the_words_of_a_row_and_refuses_half_a_character_alone(
    text2mem: Command,
) -> None:
    rows = [
        {"utterance": said, "status": "ok", "program": [note("the boat")]}
        for said in ("keep \ud800", "keep the boat")
    ]
    done = text2mem("exec", "--jsonl", stdin="".join(f"{json.dumps(row)}\n" for row in rows))
    assert [row["ok"] for row in done.rows] == [False, True]
    assert done.rows[0]["error"]["message"] == "a text holds half of a character"
    assert [row["said"] for row in text2mem("log").rows] == ["keep the boat"]


def test_run_reads_a_batch_and_goes_on_after_a_failure(text2mem: Command) -> None:
    done = text2mem("run", stdin="note one\nnonsense\nnote two\nforget everything\nnote three\n")
    assert done.code == 1
    assert [row["ok"] for row in done.rows] == [True, False, True, False, True]
    assert done.rows[3]["reason"] == "everything"
    assert done.err.count("error: ") == 2
    assert texts(text2mem) == ["note one", "note two", "note three"]


def test_run_does_nothing_where_nothing_is_asked_for(text2mem: Command) -> None:
    done = text2mem("run", stdin="note one\nthanks\n")
    assert (done.code, done.err) == (0, "")
    assert [row.get("status") for row in done.rows] == [None, "nothing"]
    assert texts(text2mem) == ["note one"]
    assert text2mem("run", "--text", "thanks").out == "› thanks\nNothing to do.\n"


def test_run_takes_back_the_last_program_and_then_the_one_before(text2mem: Command) -> None:
    text2mem("run", stdin="note one\nnote two\nnote three\n")
    done = text2mem("run", "undo that")
    assert (done.code, done.err) == (0, "")
    row = done.json
    assert (row["utterance"], row["status"], row["ok"]) == ("undo that", "undo", True)
    assert [step["op"] for step in row["results"]] == ["Undo"]
    assert texts(text2mem) == ["note one", "note two"]
    assert text2mem("run", "undo that").code == 0
    assert texts(text2mem) == ["note one"]


def test_run_says_that_there_is_nothing_to_take_back(text2mem: Command) -> None:
    done = text2mem("run", stdin="undo that\nnote one\n")
    assert done.code == 1
    assert [row["ok"] for row in done.rows] == [False, True]
    assert "there is no program to take back" in done.err


def test_an_undo_in_a_dry_run_takes_nothing_back(text2mem: Command) -> None:
    text2mem("run", "note one")
    done = text2mem("run", "--dry-run", "undo that")
    assert (done.code, done.json["dry_run"]) == (0, True)
    assert texts(text2mem) == ["note one"]


def test_a_dry_run_keeps_nothing(text2mem: Command) -> None:
    done = text2mem("run", "--dry-run", "note one")
    assert (done.code, done.json["dry_run"]) == (0, True)
    assert texts(text2mem) == []


def test_the_store_of_the_environment_is_used(
    text2mem: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEXT2MEM_DB", "mine.db")
    assert text2mem("run", "note one").code == 0
    assert [path.name for path in folder.glob("*.db")] == ["mine.db"]


# --- on a terminal -------------------------------------------------------------------------


def test_a_terminal_shows_the_whole_program_however_narrow_it_is(text2mem: Command) -> None:
    said = "note " + " ".join(f"word{number}" for number in range(60))
    for command in ("compile", "run"):
        shown = text2mem(command, said, terminal=True).out
        assert json.dumps(note(said, tags=["said"])) in shown


@pytest.mark.skipif(os.name != "posix", reason="a terminal as POSIX has it")
def test_a_person_sees_that_a_model_reads(terminal: Terminal) -> None:
    code, shown = terminal("run", "slowly remember the milk")
    assert code == 0
    assert "reading …".encode() in shown
    assert b"made memory 1" in shown
    code, shown = terminal("run", "slowly remember the bread", stdout=subprocess.DEVNULL)
    assert (code, b"reading" in shown) == (0, False)


def test_a_terminal_shows_the_effect_in_words(text2mem: Command) -> None:
    shown = text2mem("run", "note the milk", terminal=True)
    assert "✓ Encode: made memory 1" in shown.out
    assert "    1.text: note the milk\n" in shown.out
    assert '    1.tags: ["said"]\n' in shown.out
    read = text2mem("exec", "-", stdin=json.dumps(READ_ALL), terminal=True)
    assert "1: note the milk  #said" in read.out
    wide = text2mem("exec", "-", stdin=json.dumps(DELETE_ALL), terminal=True)
    assert wide.code == 1
    assert "✗ Delete: " in wide.out
    assert "--yes" in wide.out
    back = text2mem("run", "undo that", terminal=True)
    assert "✓ Undo: " in back.out


def test_a_long_utterance_that_failed_is_named_by_its_beginning(text2mem: Command) -> None:
    said = "nonsense" + " word" * 100
    done = text2mem("compile", said)
    assert done.err.startswith("error: nonsense word word")
    assert done.err.count("word") < 20
    assert done.json["utterance"] == said


def test_json_can_be_had_on_a_terminal(text2mem: Command) -> None:
    assert text2mem("compile", "--json", "note x", terminal=True).json[0]["op"] == "Encode"
    assert text2mem("run", "--json", "note x", terminal=True).json["ok"] is True
    assert text2mem("run", "--jsonl", "nonsense", terminal=True).json["ok"] is False


def test_a_failure_on_a_terminal_is_said_once(text2mem: Command) -> None:
    for command in ("compile", "run"):
        done = text2mem(command, stdin="nonsense\n", terminal=True)
        assert (done.code, done.out) == (1, "")
        assert done.err.count("nonsense") == 1


def test_a_memory_cannot_steer_the_terminal(text2mem: Command) -> None:
    hostile = "before\x1b[2J\x1b]0;title\x07\x9bafter\nsecond line"
    text2mem("exec", stdin=json.dumps(note(hostile)))
    shown = text2mem("exec", "-", stdin=json.dumps(READ_ALL), terminal=True).out
    assert not set(shown) & {"\x1b", "\x07", "\x9b"}
    assert r"before\x1b[2J\x1b]0;title\x07\x9bafter" in shown
    assert "second line" in shown


# --- with the model ------------------------------------------------------------------------


@pytest.mark.model
def test_run_on_a_new_database_with_the_local_model(shell: Shell, folder: Path) -> None:
    said = "Remember that the pool closes at nine on Sundays."
    done = shell(f'text2mem run "{said}" --db new.db', TEXT2MEM_MODEL=f"local:{MODEL}")
    assert (done.code, done.err) == (0, "")
    assert [step["op"] for step in done.json["program"]] == ["Encode"]
    assert done.json["results"][0]["created"] == ["1"]
    assert (folder / "new.db").exists()


@pytest.mark.model
def test_the_pipe_of_compile_and_exec_with_the_local_model(shell: Shell) -> None:
    line = (
        r"printf 'Remember that I am allergic to peanuts.\n记住：健身房的门禁码是 4711。\n' "
        "| text2mem compile --jsonl | text2mem exec --db memory.db --jsonl"
    )
    done = shell(line, TEXT2MEM_MODEL=f"local:{MODEL}")
    assert (done.code, done.err) == (0, "")
    assert [row["ok"] for row in done.rows] == [True, True]
    assert "4711" in json.dumps(done.rows[1])
