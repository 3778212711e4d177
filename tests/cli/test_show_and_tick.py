"""show and tick: a memory with all that is known of it, and what the clock does to a store."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import fields
from pathlib import Path

import pytest

from tests.cli.command_line import READ_ALL, Command, note, program, run, update
from text2mem.ir.record import Record

START = ("--now", "2026-03-04T10:00:00Z")
AGREED = (*START, "--yes")
LATER = ("--now", "2026-03-10T10:00:00Z")


def expire(*ids: str, **args: str) -> dict[str, object]:
    """An Expire a day from now."""
    return program("Expire", target={"ids": list(ids)}, args={"ttl": "P1D", **args})


def remind(id_: str, rrule: str) -> dict[str, object]:
    """A reminder."""
    return program("Promote", target={"ids": [id_]}, args={"remind": {"rrule": rrule}})


# --- list ----------------------------------------------------------------------------------


def test_a_list_has_what_is_in_sight_and_goes_by_tags(text2mem: Command) -> None:
    run(
        text2mem, note("牛奶\nund Brot", tags=["买"]), note("Gate 4", tags=["trip"]), options=AGREED
    )
    run(text2mem, program("Delete", target={"ids": ["2"]}), note("Seat 3A", tags=["trip"]),
        options=AGREED)  # fmt: skip
    rows = text2mem("list").rows
    assert [(row["id"], row["tags"]) for row in rows] == [("3", ["trip"]), ("1", ["买"])]
    assert text2mem("list", "--tag", "trip", terminal=True).out == "3: Seat 3A  #trip\n"
    assert text2mem("list", "--limit", "1", "--text").out == "3: Seat 3A  #trip\n"
    assert text2mem("list", "--text").out.endswith("\n1: 牛奶\n    und Brot  #买\n")
    none = text2mem("list", "--tag", "none", "--text")
    assert (none.code, none.out, none.err) == (0, "", "no memories\n")
    assert text2mem("list", "--deleted", "--text").out == "2: Gate 4  #trip\n"
    assert text2mem("list", "--deleted", "--tag", "买").rows == []
    run(text2mem, program("Demote", target={"ids": ["1"]}, args={"archive": True}))
    assert text2mem("list", "--archived").rows[0]["id"] == "1"
    assert [row["id"] for row in text2mem("list").rows] == ["3"]
    assert text2mem("list", "--db", "nowhere.db").code == 2


def test_the_name_of_a_picture_in_a_memory_is_shown_as_it_stands(text2mem: Command) -> None:
    run(text2mem, note("Wet paint :warning: on the door", tags=[":cat:"]), options=AGREED)
    shown = "Wet paint :warning: on the door"
    assert text2mem("list", "--text").out == f"1: {shown}  #:cat:\n"
    assert f"{shown}\n" in text2mem("show", "1", "--text").out
    assert f"1: {shown}" in text2mem("show", "1", "--lineage", "--text").out


def test_a_list_says_what_is_set_on_a_memory(text2mem: Command) -> None:
    run(text2mem,
        note("复查", tags=["体检"], time="2026-12-04T16:00:00Z",
             remind={"at": "2026-12-04T12:00:00Z"}),
        note("阿凱做到月底"),
        program("Expire", target={"ids": ["2"]}, args={"until": "2026-11-30T15:59:59Z"}),
        program("Lock", target={"ids": ["2"]}, args={"mode": "read_only"}),
        note("垃圾", remind={"rrule": "FREQ=WEEKLY;BYDAY=MO;BYHOUR=11;BYMINUTE=0"}),
        options=AGREED)  # fmt: skip
    listed = text2mem("list", "--text", "--tz", "Asia/Shanghai", *START).out.splitlines()
    assert sorted(listed) == [
        "1: 复查  #体检  (time 2026-12-05, reminder Fri 2026-12-04 20:00)",
        "2: 阿凱做到月底  (ends Mon 2026-11-30 23:59, locked)",
        "3: 垃圾  (reminder weekly, next Mon 2026-03-09 19:00)",
    ]
    assert text2mem("list").rows[0]["time"] == "2026-12-04T16:00:00Z"
    shown = text2mem("show", "1", "--text", "--tz", "Asia/Shanghai").out
    assert "  time              2026-12-05\n" in shown
    assert "  remind_next       Fri 2026-12-04 20:00\n" in shown


def test_words_in_place_of_an_id_are_told_where_to_go(text2mem: Command) -> None:
    run(text2mem, note("豆豆"), options=AGREED)
    done = text2mem("show", "豆豆")
    assert done.code == 1 and "an ID is a number" in done.err and "text2mem run" in done.err


# --- show ----------------------------------------------------------------------------------


def test_json_has_every_field_and_text_those_that_say_something(text2mem: Command) -> None:
    run(text2mem, note("牛奶\nund Brot", tags=["买"], facets={"shop": "拐角"}), options=AGREED)
    done = text2mem("show", "1")
    assert (done.code, done.err) == (0, "")
    assert list(done.json) == [field.name for field in fields(Record)]
    assert done.json["facets"] == {"shop": "拐角"}
    said = text2mem("show", "1", terminal=True).out
    assert said.splitlines() == [
        "memory 1",
        "  text              牛奶",
        "                    und Brot",
        '  payload           {"text": "牛奶\\nund Brot"}',
        '  tags              ["买"]',
        '  facets            {"shop": "拐角"}',
        "  weight            0.5",
        "  created_at        Wed 2026-03-04 10:00",
        "  updated_at        Wed 2026-03-04 10:00",
        "  version           1",
    ]


def test_a_value_that_is_false_or_nought_is_no_blank(text2mem: Command) -> None:
    for value in (False, 0):
        fact = {"subject": "Tom", "attribute": f"likes_{value}", "value": value}
        run(text2mem, program("Encode", args={"payload": {"structured": fact}}))
    assert "  value             false\n" in text2mem("show", "1", "--text").out
    assert "  value             0\n" in text2mem("show", "2", "--text").out
    run(text2mem, program("Demote", target={"ids": ["1"]}, args={"weight": 0}))
    assert "  weight            0" in text2mem("show", "1", "--text").out


def test_history_is_oldest_first_with_before_and_after(text2mem: Command) -> None:
    run(text2mem, note("one"), update("1", text="two", topic="t"))
    assert "history" not in text2mem("show", "1").json
    entries = text2mem("show", "1", "--history").json["history"]
    assert [entry["op"] for entry in entries] == ["Encode", "Update"]
    changes = {change["field"]: change for change in entries[1]["changes"]}
    assert changes["text"] == {"field": "text", "before": "one", "after": "two"}
    said = text2mem("show", "1", "--history", terminal=True).out
    assert "    text: one → two\n" in said
    assert "    topic: null → t\n" in said


def test_lineage_is_a_tree_up_and_down(text2mem: Command) -> None:
    by_one = program("Split", target={"ids": ["1"]}, args={"strategy": "by_sentences"})
    run(text2mem, note("One. Two two. Three."), by_one)
    pieces = {"strategy": "by_chunks", "params": {"chunk_size": 4}}
    run(text2mem, program("Split", target={"ids": ["3"]}, args=pieces))
    run(text2mem, program("Delete", target={"ids": ["5"]}))
    family = text2mem("show", "3", "--lineage").json["lineage"]
    assert [parent["id"] for parent in family["parents"]] == ["1"]
    assert [(child["id"], child["deleted"]) for child in family["children"]] == [
        ("5", True), ("6", False),
    ]  # fmt: skip
    said = text2mem("show", "3", "--lineage", "--text").out
    tree = said.partition("lineage\n")[2]
    for line in ("3: Two two.", "made from", "1: One. Two two. Three.", "made into", "(deleted)"):
        assert line in tree
    both = text2mem("show", "1", "--lineage", "--history").json
    assert [child["id"] for child in both["lineage"]["children"]] == ["2", "3", "4"]
    assert len(both["history"]) == 2


def test_archived_and_deleted_memories_are_shown_and_say_so(text2mem: Command) -> None:
    run(text2mem, note("one"), note("two"))
    run(text2mem, program("Delete", target={"ids": ["1"]}))
    run(text2mem, program("Demote", target={"ids": ["2"]}, args={"archive": True}))
    assert "  deleted           true" in text2mem("show", "1", "--text").out
    assert "  archived          true" in text2mem("show", "2", "--text").out


def test_a_memory_that_the_actor_may_not_read_is_not_there(text2mem: Command) -> None:
    run(text2mem, note("hers"), options=("--actor", "ann"))
    hidden = text2mem("show", "1", "--history", "--lineage", "--actor", "bob")
    unknown = text2mem("show", "2", "--history", "--lineage", "--actor", "bob")
    assert (hidden.code, hidden.out) == (unknown.code, unknown.out) == (1, "")
    assert hidden.err.replace("1", "2") == unknown.err
    assert text2mem("show", "1", "--actor", "ann").json["owner"] == "ann"
    assert text2mem("show", "1", "--tenant", "other").code == 1


@pytest.mark.parametrize("end", ["anonymize", "hard_delete"])
def test_what_is_due_is_shown_as_if_it_had_been_carried_out(text2mem: Command, end: str) -> None:
    run(text2mem, note("secret"), update("1", text="secret, too"), options=AGREED)
    run(text2mem, expire("1", on_expire=end), options=AGREED)
    assert "secret" in text2mem("show", "1", "--history", *START).out
    for form in ("--json", "--text"):
        for history in ((), ("--history",), ("--lineage",)):
            done = text2mem("show", "1", *history, form, *LATER)
            assert "secret" not in done.out + done.err
            assert done.code == (1 if end == "hard_delete" else 0)
    assert text2mem("show", "1", *START).json["text"] == "secret, too"  # nothing was kept of that


def test_a_memory_that_is_shown_cannot_steer_the_terminal(text2mem: Command) -> None:
    hostile = "a\x1b[2Jb [bold]c[/bold]"
    run(text2mem, note(hostile, tags=[hostile], topic=hostile), update("1", topic="x\x07"))
    said = text2mem("show", "1", "--history", "--lineage", "--text").out
    said += text2mem("log", "--id", "1", "--text").out
    assert not set(said) & {"\x1b", "\x07"}
    assert r"a\x1b[2Jb [bold]c[/bold]" in said


# --- tick ----------------------------------------------------------------------------------


def test_a_tick_carries_out_what_is_due_and_says_what(text2mem: Command) -> None:
    run(text2mem, note("one"), note("two"), note("三点开会"), options=AGREED)
    run(text2mem, expire("1"), remind("3", "FREQ=DAILY"), options=AGREED)
    early = text2mem("tick", *START)
    assert (early.json["expired"], early.json["reminders"]) == ([], [])
    assert text2mem("tick", *START, "--text").out == "  ✓ nothing was due\n"

    dry = text2mem("tick", *LATER, "--dry-run")
    assert dry.json["dry_run"] is True
    done = text2mem("tick", *LATER)
    assert (done.code, done.err) == (0, "")
    assert {**dry.json, "trace_id": "", "dry_run": False} == {**done.json, "trace_id": ""}
    assert set(done.json) == {
        "trace_id", "now", "dry_run", "expired", "resumed", "reminders", "changes", "warnings",
    }  # fmt: skip
    assert done.json["expired"] == ["1"]
    (reminder,) = done.json["reminders"]
    assert reminder["memory"]["text"] == "三点开会"
    assert reminder["due"] == "2026-03-05T10:00:00Z"
    assert reminder["next"] == "2026-03-11T10:00:00Z"
    assert text2mem("tick", *LATER).json["reminders"] == []
    assert text2mem("show", "1").json["deleted"] is True


def test_a_tick_on_a_terminal(text2mem: Command) -> None:
    run(text2mem, note("one"), note("三点开会"), options=AGREED)
    run(text2mem, expire("1"), remind("2", "FREQ=DAILY;COUNT=1"), options=AGREED)
    assert (
        "reminder of 2: 三点开会 (dry run)"
        in text2mem("tick", *LATER, "--dry-run", terminal=True).out
    )
    said = text2mem("tick", *LATER, terminal=True).out
    assert "  ✓ expired 1\n    1.deleted: false → true\n" in said
    assert "  ✓ reminder of 2: 三点开会\n    due Thu 2026-03-05 10:00, the last one\n" in said


def test_a_lock_softens_the_end_and_the_tick_says_so(text2mem: Command) -> None:
    run(text2mem, note("one"), expire("1", on_expire="hard_delete"), options=AGREED)
    lock = program("Lock", target={"ids": ["1"]}, args={"mode": "read_only"})
    run(text2mem, lock, options=AGREED)
    done = text2mem("tick", *LATER)
    assert "memory 1 is locked: soft-deleted" in " ".join(done.json["warnings"])
    assert text2mem("show", "1", *LATER).json["text"] == "one"


def test_an_erasure_that_a_reader_holds_up_is_pending(text2mem: Command, folder: Path) -> None:
    run(text2mem, note("one"), expire("1", on_expire="hard_delete"), options=AGREED)
    reader = sqlite3.connect(folder / "memory.db", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM memories").fetchone()
    try:
        pending = text2mem("tick", *LATER, terminal=True)
        assert "note: erase pending" in pending.out
    finally:
        reader.close()
    assert text2mem("tick", *LATER).json["warnings"] == []


def test_a_reminder_waits_for_somebody_who_may_read_it(text2mem: Command) -> None:
    ann = ("--actor", "ann")
    run(text2mem, note("hers"), remind("1", "FREQ=DAILY"), options=(*START, *ann))
    assert text2mem("tick", *LATER, "--actor", "bob").json["reminders"] == []
    assert len(text2mem("tick", *LATER, *ann).json["reminders"]) == 1


def test_phrases_of_time_move_the_clock(text2mem: Command) -> None:
    run(text2mem, note("one"), expire("1"))
    assert text2mem("tick", "--now", "in 3 days", "--dry-run").json["expired"] == ["1"]
    assert text2mem("tick", "--now", "三天后", "--dry-run").json["expired"] == ["1"]
    assert text2mem("tick", "--now", "whenever").code == 2
    reads = text2mem("exec", "--now", "in 3 days", stdin=json.dumps(READ_ALL)).json
    assert reads["results"][0]["rows"] == []
