"""Resolve: a draft's words as values: instants, durations, recurrences, edits, references."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.fixtures import case_id, cases, faults
from tests.planning import CONTEXT, opened
from text2mem.ir.dialect import canonicalise
from text2mem.planner import Ask
from text2mem.planner.build import Built, build
from text2mem.planner.draft import SLOTS, Draft, keys_of, read_draft
from text2mem.validator import validate

NOW, BERLIN = datetime(2026, 3, 4, 10, 30, tzinfo=UTC), ZoneInfo("Europe/Berlin")
CASES = list(cases("resolve"))


def built(case: dict[str, Any], backend: str = "plain") -> Built:
    draft = read_draft(case["input"])
    assert isinstance(draft, Draft)
    view = opened(backend, case.get("memories", ())).view(CONTEXT)
    return build(draft, Ask(case.get("said", ""), NOW, store=view, tz=BERLIN))


def told(found: Any) -> list[dict[str, str]]:
    return [{"code": d.code, "pointer": d.pointer} for d in found]


@pytest.mark.parametrize("backend", ["plain", "sqlite"])
@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_a_draft_becomes_the_instances_of_its_fixture(case: dict[str, Any], backend: str) -> None:
    found, expected = built(case, backend), case["expected"]
    assert found.instances == expected["instances"]
    assert told(found.problems) == expected.get("problems", [])
    assert told(found.notes) == expected.get("notes", [])
    assert len(found.owners) == len(found.instances)
    assert all(note.severity == "warning" for note in found.notes)


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_what_is_made_of_a_draft_without_problems_is_legal(case: dict[str, Any]) -> None:
    found = built(case)
    if not found.problems:
        assert list(validate(canonicalise(found.instances), now=NOW, tz=BERLIN)) == []


def test_fixture_cases_fit_their_schema_and_show_every_slot() -> None:
    assert faults("resolve", CASES) == []
    assert len({case["id"] for case in CASES}) == len(CASES)
    shown: dict[str, set[str]] = {}
    for case in CASES:
        for step in case["input"]["steps"]:
            shown.setdefault(step["op"], set()).update(step)
    for op in SLOTS:
        assert {key.name for key in SLOTS[op]} <= shown[op], op
        assert shown[op] <= {"op", *(key.name for key in keys_of(op))}


def test_memories_that_a_person_chose_take_the_place_of_a_steps_own() -> None:
    store = opened("plain", [m for c in CASES if c["id"] == "merge" for m in c["memories"]])
    ask = Ask("", NOW, store=store.view(CONTEXT), tz=BERLIN)
    draft = read_draft({"steps": [{"op": "Promote", "about": "zeppelin"},
                                  {"op": "Label", "which": "step", "add": ["x"]}]})  # fmt: skip
    assert isinstance(draft, Draft)
    record = ask.store.find(["2"])["2"] if ask.store else None
    assert record is not None
    found = build(draft, ask, chosen={0: [record]})
    assert [each["target"] for each in found.instances] == [{"ids": ["2"]}, {"ids": ["2"]}]
    assert found.links[0].missing == ""
