"""forget, export, stats and evolve on the command line."""

from __future__ import annotations

import json
import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command_line import Command, program

NOW = ("--now", "2026-03-04T10:00:00Z")


def fact(subject: str, attribute: str, value: Any, **args: Any) -> dict[str, Any]:
    stated = {"subject": subject, "attribute": attribute, "value": value}
    return program("Encode", args={"payload": {"structured": stated}, "type": "fact", **args})


@pytest.fixture
def store(text2mem: Command) -> Command:
    """The command line beside a store with a few facts."""
    episode = {"payload": {"text": "I live in Ghent."}, "type": "episode",
               "facets": {"role": "user"}}  # fmt: skip
    steps = [
        program("Encode", args=episode),
        fact("bram", "city", "Lille", valid_from="2025-01-01"),
        fact("bram", "city", "Ghent", source_episode_id="1"),
        fact("bram", "seats", "many"),
        fact("安妮", "城市", "布鲁日", confidence=0.1),
    ]
    assert text2mem("exec", *NOW, stdin=json.dumps(steps)).code == 0
    return text2mem


# --- forget --------------------------------------------------------------------------------


def test_forget_shows_then_erases_a_subject(store: Command) -> None:
    shown = store("forget", "--subject", "Bram", "--dry-run", *NOW).json
    assert shown["dry_run"] and shown["facts"] == ["2", "3", "4"] and shown["episodes"] == ["1"]
    assert store("show", "2", *NOW).code == 0
    refused = store("forget", "--subject", "Bram", *NOW)
    assert refused.code == 1 and refused.json["error"]["code"] == "needs-confirmation"
    report = store("forget", "--subject", "Bram", "--yes", *NOW)
    assert (report.code, report.err) == (0, "")
    assert {**report.json, "dry_run": True, "trace_id": None} == shown
    assert store("show", "2", *NOW).code == 1
    said = store("forget", "--subject", "Bram", *NOW, terminal=True)
    assert (said.code, said.out) == (0, "  ✓ nothing of it is held\n")


def test_forget_in_words(store: Command) -> None:
    said = store("forget", "--episode", "1", "--yes", *NOW, terminal=True).out
    assert said.splitlines() == [
        "  ✓ 1 fact erased: 3", "  ✓ 1 episode erased: 1",
        "    note: a hard delete cannot be undone",
    ]  # fmt: skip


def test_forget_says_what_stays_and_why(store: Command) -> None:
    store("exec", *NOW, stdin=json.dumps(fact("ann", "city", "Ghent", source_episode_id="1")))
    said = store("forget", "--subject", "bram", *NOW, "--text").out
    assert "    kept episode 1: of others, fact 6 rests on it alone\n" in said


@pytest.fixture
def talked(store: Command) -> Command:
    """Beside facts about somebody else: from the turn about bram, and from one that names him."""
    turn = {"type": "episode", "facets": {"role": "user"}}
    store("exec", *NOW, stdin=json.dumps([
        program("Encode", args={"payload": {"text": "Bram laughed. Ann lives in Lyon."}, **turn}),
        fact("ann", "city", "Lyon", source_episode_id="6"),
        fact("ann", "pet", "Ghent", source_episode_id="1"),
    ]))  # fmt: skip
    return store


def test_forget_asks_a_person_and_says_first_what_goes_and_what_stays(talked: Command) -> None:
    asked = talked("forget", "--subject", "bram", *NOW, typed="no\n")
    assert asked.code == 1 and "nothing was erased" in asked.err
    assert [line for line in asked.out.splitlines() if "note:" not in line] == [
        "  would erase 3 facts: 2, 3, 4",
        "    2: bram.city = Lille",
        "    3: bram.city = Ghent",
        "    4: bram.seats = many",
        "    kept episode 1: of others, fact 8 rests on it alone",
        "    kept episode 6: of others, fact 7 rests on it alone",
        "    --thorough, with every turn that names it, would erase 2 facts: 7, 8; "
        "2 episodes: 1, 6",
        "Erase it for good? [y/N] ",
    ]  # fmt: skip
    assert talked("show", "2", *NOW).code == 0
    # What is shown by a dry run is the same, without the question.
    shown = talked("forget", "--subject", "bram", "--dry-run", *NOW, typed="yes\n")
    assert shown.code == 0
    assert f"{shown.out}Erase it for good? [y/N] ".splitlines() == asked.out.splitlines()


@pytest.mark.parametrize("reply", ["yes\n", "y\n", "是\n"])
def test_a_yes_erases_what_was_shown(talked: Command, reply: str) -> None:
    done = talked("forget", "--subject", "bram", "--thorough", *NOW, typed=reply)
    assert (done.code, done.err) == (0, "")
    assert "would erase 5 facts" in done.out and "--thorough" not in done.out
    assert "  ✓ 5 facts erased: 2, 3, 4, 7, 8\n" in done.out
    assert talked("show", "6", *NOW).code == 1


@pytest.mark.parametrize("reply", ["", "\n", "maybe\n", "all of it\n"])
def test_anything_but_a_yes_erases_nothing(talked: Command, reply: str) -> None:
    assert talked("forget", "--episode", "1", *NOW, typed=reply or " ").code == 1
    assert talked("show", "1", *NOW).code == 0


def test_nobody_is_asked_in_a_pipe_with_a_yes_or_about_nothing(talked: Command) -> None:
    piped = talked("forget", "--subject", "bram", "--text", *NOW, stdin="yes\n")
    assert piped.code == 1 and "needs-confirmation" in piped.err and "[y/N]" not in piped.out
    nothing = talked("forget", "--subject", "nobody", *NOW, typed="")
    assert (nothing.code, nothing.out) == (0, "  ✓ nothing of it is held\n")
    done = talked("forget", "--subject", "bram", "--yes", *NOW, typed="no\n")
    assert done.code == 0 and "[y/N]" not in done.out


def test_forget_refusals_have_a_code_and_a_line(store: Command) -> None:
    refused = store("forget", "--episode", "99", *NOW)
    assert refused.code == 1 and refused.json["error"]["code"] == "not-found"
    assert "there is no episode 99 [not-found]" in refused.err
    both = ("--subject", "a", "--taken-back")
    for arguments in ((), ("--subject", " "), ("--subject", "a", "--episode", "1"), both):
        assert store("forget", *arguments).code == 2
    assert store("forget", "--subject", "a", "--db", "nowhere.db").code == 2


def test_what_was_taken_back_is_forgotten_after_a_yes(talked: Command) -> None:
    nothing = talked("forget", "--taken-back", *NOW, typed="")
    assert (nothing.code, nothing.out) == (0, "  ✓ nothing of it is held\n")
    made = talked("exec", "--json", *NOW, stdin=json.dumps([fact("ann", "pin", "4711")])).json
    talked("undo", made["trace_id"], *NOW)
    done = talked("forget", "--taken-back", *NOW, typed="yes\n")
    assert done.code == 0
    assert "would erase 1 other memory: 9\n" in done.out
    assert "✓ 1 other memory erased: 9\n" in done.out


def test_much_is_forgotten_only_with_a_yes(store: Command) -> None:
    many = [fact("ann", f"a{number}", "x") for number in range(25)]
    store("exec", *NOW, stdin=json.dumps(many))
    refused = store("forget", "--subject", "ann", *NOW)
    assert refused.code == 1 and refused.json["error"]["code"] == "needs-confirmation"
    assert "--yes" in refused.err
    assert len(store("forget", "--subject", "ann", "--yes", *NOW).json["facts"]) == 25


# --- export, stats -------------------------------------------------------------------------


def test_export_prints_json_or_writes_a_file(store: Command, folder: Path) -> None:
    printed = store("export", "BRAM", *NOW)
    assert printed.code == 0 and printed.out.count("\n") == 1
    assert [line["attribute"] for line in printed.json["facts"]] == ["city", "seats"]
    assert json.loads(store("export", "bram", *NOW, terminal=True).out) == printed.json
    written = store("export", "bram", "--out", "held.json", *NOW)
    assert written.json["facts"] == 3 and written.json["episodes"] == 1
    assert json.loads((folder / "held.json").read_text("utf-8")) == printed.json
    said = store("export", "安妮", "--out", "held.json", *NOW, "--text").out
    assert said == "  held.json: 0 facts, 0 pointing, 1 waiting, 0 episodes, 0 memories\n"
    assert "布鲁日" in (folder / "held.json").read_text("utf-8")
    assert store("export", "bram", "--out", "no/such/folder.json", *NOW).code != 0
    assert store("export").code == 2


def test_an_export_replaces_files_alone(store: Command, folder: Path) -> None:
    (folder / "held.json").write_text("old", "utf-8")
    (folder / "link.json").symlink_to("held.json")
    assert store("export", "bram", "--out", "link.json", *NOW).code == 0
    assert (folder / "link.json").is_symlink()
    assert json.loads((folder / "held.json").read_text("utf-8"))["subject"] == "bram"

    os.mkfifo(folder / "pipe")
    with ThreadPoolExecutor() as threads:
        read = threads.submit((folder / "pipe").read_text, "utf-8")
        assert store("export", "bram", "--out", "pipe", *NOW).code == 0
        assert json.loads(read.result(30))["subject"] == "bram"
    assert (folder / "pipe").is_fifo()

    assert store("export", "bram", "--out", os.devnull, *NOW).code == 0
    assert not Path(os.devnull).is_file()
    for named in (".", "..", str(folder)):
        refused = store("export", "bram", "--out", named, *NOW)
        assert refused.code == 2 and "it is a folder" in refused.err
    assert not [*folder.glob(".*.partial")]


def test_an_export_never_replaces_the_store(store: Command, folder: Path) -> None:
    (folder / "link.json").symlink_to("memory.db")
    os.link(folder / "memory.db", folder / "same.json")
    before = (folder / "memory.db").read_bytes()
    for named in ("memory.db", "link.json", "same.json", "memory.db-wal", folder / "memory.db"):
        refused = store("export", "bram", "--out", named, *NOW)
        assert refused.code == 2 and "the store itself" in refused.err
    assert (folder / "memory.db").read_bytes() == before


def test_an_export_replaces_no_database_of_a_framework(text2mem: Command, folder: Path) -> None:
    with closing(sqlite3.connect(folder / "notes.db")) as other:
        other.execute("CREATE TABLE notes (text)")
        other.commit()
    before = (folder / "notes.db").read_bytes()
    refused = text2mem("export", "bram", "--db", "memory:", "--out", "notes.db", *NOW)
    assert refused.code == 2 and "another database" in refused.err
    assert (folder / "notes.db").read_bytes() == before


def test_stats_as_json_and_in_words(store: Command) -> None:
    counted = store("stats", *NOW).json
    assert counted["facts"]["total"]["current"] == 2
    assert counted["queue"] == {"waiting": 0, "leased": 0, "dead": 0, "lag_seconds": None}
    assert counted["bytes"] > 0 and counted["pending"]["count"] == 1
    said = store("stats", *NOW, terminal=True).out
    assert "facts        2 current, 1 past, 1 pending\n" in said
    assert "  city: 1 current, 1 past\n" in said and "episodes     1 (1 user)\n" in said
    assert "queue        waiting 0, leased 0, dead 0\n" in said
    assert "superseded   1 in the last 7 days (1 on 03-04)\n" in said
    assert "pending      1, the oldest for 0 h 0 min\n" in said


# --- evolve --------------------------------------------------------------------------------

STEPS: list[dict[str, Any]] = [
    {"op": "rename", "from": "city", "to": "home"},
    {"op": "retype", "attribute": "seats", "value_type": "number"},
]


def test_evolve_shows_refuses_and_carries_over(store: Command, folder: Path) -> None:
    path = folder / "e.json"
    path.write_text(json.dumps({"version": 2, "steps": STEPS}), "utf-8")
    refused = store("evolve", "e.json", *NOW)
    assert refused.code == 1 and refused.json["error"]["code"] == "misfits"
    assert [left["id"] for left in refused.json["left"]] == ["4"]
    assert "a value does not fit [misfits]" in refused.err
    left = json.dumps({"version": 2, "steps": STEPS, "on_misfit": "leave"})
    shown = store("evolve", "--dry-run", *NOW, stdin=left)
    assert shown.code == 0 and shown.json["dry_run"] and shown.json["traces"] == []
    assert store("registry", "show").json["version"] == 1
    said = store("evolve", *NOW, "--text", stdin=left)
    assert said.code == 0
    lines = said.out.splitlines()
    assert lines[:2] == [
        '    bram: city = "Lille" → home = "Lille"', '    bram: city = "Ghent" → home = "Ghent"',
    ]  # fmt: skip
    assert lines[2].startswith('    left: memory 4, bram.seats = "many": ')
    assert lines[3] == "  ✓ 2 versions, registry 1 → 2"
    trace = lines[4].removeprefix("  trace ")
    assert store("registry", "show").json["version"] == 2
    again = store("evolve", *NOW, stdin=left).json
    assert (again["ok"], again["changes"], again["traces"]) == (True, [], [])
    assert store("undo", trace, *NOW).code == 0
    assert store("show", "3", *NOW).json["deleted"] is False


@pytest.mark.parametrize("document", ["{", '{"version": 2}', '{"version": 1, "steps": []}'])
def test_what_is_no_evolution_ends_in_a_usage_error(store: Command, document: str) -> None:
    refused = store("evolve", *NOW, stdin=document)
    assert refused.code == 2 and refused.err.startswith("error: ")
    assert refused.json["ok"] is False


def test_an_actor_may_not_evolve(store: Command) -> None:
    document = json.dumps({"version": 2, "steps": STEPS[:1]})
    assert store("evolve", "--actor", "ann", *NOW, stdin=document).code == 2


def test_an_earlier_export_is_replaced_where_nothing_is_held_any_more(
    store: Command, tmp_path: Path
) -> None:
    out = tmp_path / "ann.json"
    out.write_text('{"facts": ["of before"]}')
    done = store("export", "ann", "--out", out, *NOW, terminal=True)
    assert (done.code, done.err) == (0, "nothing is held on ann\n")
    assert json.loads(out.read_text())["facts"] == []
