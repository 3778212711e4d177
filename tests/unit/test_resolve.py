"""Resolve: a draft's words as values: instants, durations, recurrences, edits, references."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
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


@pytest.mark.parametrize(
    ("text", "old", "new", "rings"),
    [
        ("pay 50 euros next Friday", "50", "60", None),
        ("tomorrow week: pay 50 euros", "50", "60", None),
        ("pay 50 euros next Friday at 3 pm", "3 pm", "4 pm", "2026-03-13T09:00:00Z"),
        ("pay 50 euros next Friday", "Friday", "Monday", "2026-03-16T08:00:00Z"),
        ("trip 14-17 March", "14-17 March", "21-24 March", "2026-03-20T08:00:00Z"),
        ("trip 14-17 March", "17", "18", None),
    ],
)
def test_a_reminder_stays_with_words_of_a_day_that_do_not_change(
    text: str, old: str, new: str, rings: str | None
) -> None:
    remind = {"remind": {"at": "2026-03-13T08:00:00Z"}}
    note = {"stage": "ENC", "op": "Encode", "args": {"payload": {"text": text}, **remind}}
    draft = read_draft({"steps": [{"op": "Update", "ids": ["1"], "old": old, "new": new}]})
    assert isinstance(draft, Draft)
    view = opened("plain", [note]).view(CONTEXT)
    made = build(draft, Ask("", NOW + timedelta(days=5), store=view, tz=BERLIN)).instances
    assert [each["args"]["set"]["remind"]["at"] for each in made[1:]] == [rings] * bool(rings)


def test_a_rule_rings_on_the_day_of_the_memory_also_on_the_31st() -> None:
    note = {"stage": "ENC", "op": "Encode", "args": {"payload": {"text": "rent"},
            "time": "2026-03-05T09:00:00Z"}}  # fmt: skip
    draft = read_draft({"steps": [{"op": "Promote", "ids": ["1"], "remind": "every month"}]})
    assert isinstance(draft, Draft)
    view = opened("plain", [note]).view(CONTEXT)
    made = build(draft, Ask("", NOW + timedelta(days=27), store=view, tz=BERLIN)).instances
    assert made[0]["args"]["remind"]["rrule"].startswith("FREQ=MONTHLY;BYMONTHDAY=5;")


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
