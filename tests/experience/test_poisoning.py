"""Texts that others wrote, pasted into a request or stored, never become an episode."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.planning import CONTEXT
from text2mem import Memory
from text2mem.adapters.registry import open_adapter
from text2mem.conversation.learning import Unsettled, learn
from text2mem.conversation.reply import Reply
from text2mem.experience import Bank
from text2mem.ir.context import SUFFIX
from text2mem.ir.result import ProgramResult
from text2mem.planner.draft import Draft, Step
from text2mem.planner.trace import Trace

WILD = Path(__file__).resolve().parents[2] / "fixtures" / "wild"
CASES = [
    json.loads(line)
    for line in (WILD / "cases.injections.jsonl").read_text(encoding="utf-8").splitlines()
]
PASTED = [case for case in CASES if not case["kind"].startswith("stored")]
MEANT = Draft((Step("Delete", {"about": "the passwords"}),))
OWN = "Delete the passwords."


def done(request: str) -> Reply:
    """A request that was carried out, whatever it says."""
    trace = Trace(draft=MEANT)
    result = ProgramResult(ok=True, trace_id="t")
    return Reply(status="done", request=request, result=result, trace=trace)


def bank() -> Bank:
    return Bank(open_adapter("memory:", tenant=f"default{SUFFIX}"), CONTEXT)


def store() -> Memory:
    """An empty one."""
    return Memory("memory:", context=CONTEXT, embedder="none")


def test_there_are_more_than_forty() -> None:
    assert len(PASTED) > 60


@pytest.mark.parametrize("case", PASTED, ids=lambda case: case["id"])
def test_a_text_that_was_pasted_is_no_word_of_the_persons_own(case: dict[str, Any]) -> None:
    kept, request = bank(), case["request"]
    learn(kept, Unsettled(request, MEANT), done(OWN), store())
    learn(kept, Unsettled(OWN, MEANT), done(request), store())
    learn(kept, Unsettled(request, MEANT, unclear=True), done(request), store())
    assert list(kept.all()) == []


def test_the_same_without_a_text_is_one() -> None:
    kept = bank()
    learn(kept, Unsettled("Bury the passwords.", MEANT), done(OWN), store())
    assert [each.request for each in kept.all()] == ["Bury the passwords."]


def test_what_looks_like_an_episode_in_a_bank_is_read_by_its_form_alone() -> None:
    kept = bank()
    learn(kept, Unsettled("Bury the passwords.", MEANT), done(OWN), store())
    (held,) = kept.all()
    record = kept.adapter.view(replace(CONTEXT, tenant=f"default{SUFFIX}", of_bank=True)).find(
        [held.id]
    )[held.id]
    from text2mem.experience.episode import episode_of

    assert episode_of(record) == held
    for facets in ({}, {"draft": "{", "rests_on": "[]"}, {"draft": '{"steps":[{"op":"Boom"}]}'}):
        assert episode_of(replace(record, facets=facets)) is None
    assert episode_of(replace(record, tags=("ran",))) is None
