"""``text2mem experience``: list, show, forget, count; each actor their own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.command_line import Command
from tests.planning import CONTEXT
from text2mem.experience import Episode, bank_of
from text2mem.planner.draft import Draft, Step

PARKED = Draft((Step("Demote", {"about": "lease", "archive": True}),))
EPISODE = Episode(
    request="Park the lease.", draft=PARKED, outcome="corrected", told="Archive the lease.",
    rests_on=("1",),
)  # fmt: skip
MEANT = '{"steps":[{"op":"Demote","about":"lease","archive":true}]}'


@pytest.fixture
def store(tmp_path: Path) -> Path:
    where = tmp_path / "notes.db"
    for actor in (None, "ann"):
        bank = bank_of(where, replace(CONTEXT, actor=actor))
        bank.keep(EPISODE)
        bank.close()
    return where


def test_what_was_learnt_is_listed_shown_and_forgotten(store: Path, text2mem: Command) -> None:
    at = ("--db", str(store))
    listed = text2mem("experience", "list", *at, "--text")
    assert listed.out == f"1: “Park the lease.” meant {MEANT}\n"
    (row,) = text2mem("experience", "list", *at).rows
    shown = text2mem("experience", "show", "1", *at)
    assert shown.rows == [row] and row["told"] == "Archive the lease."
    assert "rests_on: ['1']" in text2mem("experience", "show", "1", *at, "--text").out
    assert text2mem("experience", "stats", *at).rows == [
        {"episodes": 1, "outcomes": {"corrected": 1}, "ops": {"Demote": 1}}
    ]
    assert text2mem("experience", "stats", *at, "--text").out == (
        "outcomes: 1 corrected\nops: 1 Demote\n"
    )
    assert text2mem("experience", "forget", "2", *at).code == 1  # ann's
    assert text2mem("experience", "forget", "1", *at, "--text").out == "1 forgotten\n"
    assert text2mem("experience", "list", *at, "--text").out == "nothing was learnt\n"
    assert text2mem("experience", "forget", "--all", *at, "--actor", "ann").rows == [
        {"forgotten": 1}
    ]


def test_what_is_not_there_or_not_named_is_said(store: Path, text2mem: Command) -> None:
    at = ("--db", str(store))
    gone = text2mem("experience", "show", "9", *at)
    assert gone.code == 1 and "there is no episode '9'" in gone.err
    assert text2mem("experience", "forget", *at).code == 2
    assert text2mem("experience", "forget", "1", "--all", *at).code == 2
    nowhere = text2mem("experience", "list", "--db", str(store.with_name("none.db")))
    assert nowhere.code == 2
