"""Targets: which memories of a store a request means, and when it means none."""

from __future__ import annotations

from typing import Any

import pytest

from tests.requests import CONTEXT, requests, said, step_of, view
from text2mem import Memory
from text2mem.ir.ops import READS
from text2mem.planner.arguments import told
from text2mem.planner.conditions import as_filter
from text2mem.planner.edits import spans_of
from text2mem.planner.requests import Span, Step
from text2mem.planner.selection import Aim
from text2mem.planner.targets import Place, aim

CASES = requests("targets")


def told_spans(op: str, step: Step) -> tuple[Span, ...]:
    if op == "Encode":
        return ()
    return spans_of(step) if op == "Update" else told(op, step).spans


def meant(op: str, utterance: str, store: str, context: tuple[str, ...] = (), **place: Any) -> Aim:
    step = step_of(utterance, context)
    return aim(
        op, step, told_spans(op, step), view(store), place=Place(**place), told_before=told_spans
    )


def hits(found: Aim, store: str) -> Any:
    """The ids that an aim's selector hits, as the store resolves them now; None for none."""
    selector = found.selector
    if selector is None or found.guessed:
        return None
    if "all" in selector:
        return "all"
    if "filter" in selector:
        return sorted(
            (row.id for row in view(store).select(as_filter(selector["filter"]))), key=int
        )
    return [row.id for row in found.records]


@pytest.mark.parametrize("case", CASES, ids=said)
def test_a_request_means_these_memories(case: dict[str, Any]) -> None:
    context = tuple(case.get("context", ()))
    found = meant(case["op"], case["utterance"], case["store"], context)
    got = hits(found, case["store"])
    if isinstance(got, list) and found.primary is None:
        got = sorted(got, key=int)
    assert got == case["ids"], found


def names_a_topic(case: dict[str, Any]) -> bool:
    """Whether a case says by its own words which memories it means."""
    named = any(word in case["utterance"] for word in ("memory", "the last note", "最后一条"))
    return case["ids"] != "all" and not named


WRITES = [case for case in CASES if case["op"] not in READS and names_a_topic(case)]


@pytest.mark.parametrize("case", WRITES, ids=said)
def test_a_write_touches_nothing_in_a_store_of_other_things(case: dict[str, Any]) -> None:
    memory = Memory("memory:", context=CONTEXT)
    texts = ["The cello needs a new bridge.", "Two of the strings are old.", "小提琴该换弦了。"]
    for text in texts:
        memory.execute([{"op": "Encode", "stage": "ENC", "args": {"payload": {"text": text}}}])
    step = step_of(case["utterance"], tuple(case.get("context", ())))
    spans = told_spans(case["op"], step)
    found = aim(case["op"], step, spans, memory.view(), place=Place(), told_before=told_spans)
    assert found.selector is None or found.guessed or "$-1" in found.selector.get("ids", ()), found
