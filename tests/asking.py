"""A planner that asks back where it is told to, so that what is around it can be tried."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from text2mem import pipeline
from text2mem.planner import Ask, plan
from text2mem.planner.asking import Choice, ClarifyingQuestion


def delete(*ids: str) -> dict[str, Any]:
    """A Delete by ids."""
    return {"stage": "STO", "op": "Delete", "target": {"ids": list(ids)}}


MADE = {"time": "2026-03-04T10:30:00Z", "time_field": "created_at"}
WHICH = ClarifyingQuestion(
    "Which list do you mean?",
    "ambiguous-target",
    (
        Choice("the shopping list", [delete("1")], "deletes 1 memory: 1"),
        Choice("both lists", [delete("1", "2")], "deletes 2 memories: 1, 2"),
    ),
    (
        {"id": "1", "text": "milk", "tags": ["list"], **MADE},
        {"id": "2", "text": "nails", "tags": ["list", "diy"], **MADE},
    ),
)
OPEN = ClarifyingQuestion("What should it say instead?", "missing-content")


def ask_back(
    monkeypatch: pytest.MonkeyPatch, questions: Mapping[str, ClarifyingQuestion]
) -> list[Ask]:
    """Has the planner ask these questions, by utterance; what it is asked to plan, as it comes."""
    asked: list[Ask] = []

    def planned(ask: Ask, *rest: Any) -> Any:
        asked.append(ask)
        if ask.utterance in questions:
            return questions[ask.utterance]
        return (yield from plan(ask, *rest))

    monkeypatch.setattr(pipeline, "plan", planned)
    return asked
