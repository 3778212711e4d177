"""An undo that a small reader takes from thanks: read once more without what was said before."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.planning import Raw, planned
from text2mem import Clarification, Nothing, Undo
from text2mem.ir.turn import Turn
from text2mem.planner.reader import undone
from text2mem.planner.trust import undoes
from text2mem.providers.base import Completion, Usage
from text2mem.providers.profiles import profile_of

TUNED = profile_of("local:qwen2.5-coder-0.5b")
BEFORE = [Turn("Throw away the note about the ferry.")]
STORE: list[Raw] = [
    {"stage": "ENC", "op": "Encode", "args": {"payload": {"text": "The ferry leaves at 11:30"}}}
]
UNDO: dict[str, Any] = {"undo": True}
IDLE: dict[str, Any] = {"steps": []}


def answer(draft: dict[str, Any], undo: float) -> Completion:
    """A draft, with how likely an undo was at the first word of it."""
    text = json.dumps(draft, separators=(",", ":"))
    key = next(iter(draft))
    first, other = (undo, 1 - undo) if key == "undo" else (1 - undo, undo)
    told = ((key, first), ("steps" if key == "undo" else "undo", other))
    return Completion(
        text, draft, Usage(), "scripted", tokens=(('{"', 1.0), (key, first)),
        likeliest=((('{"', 1.0),), told),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("said", "beside", "alone", "becomes"),
    [
        ("thanks!", answer(UNDO, 0.92), answer(IDLE, 1e-5), Nothing),
        ("ok", answer(UNDO, 0.99), answer(IDLE, 1e-6), Nothing),
        ("no, keep it", answer(UNDO, 0.999), answer(IDLE, 0.2), Undo),
        ("put it back", answer(UNDO, 0.99), answer(UNDO, 0.97), Undo),
        ("that's better", answer(UNDO, 0.9), answer({"ask": "What is?"}, 1e-5), Clarification),
    ],
)
def test_thanks_take_nothing_back(
    said: str, beside: Completion, alone: Completion, becomes: type
) -> None:
    more = (IDLE,) if becomes is Clarification else ()
    done = planned(said, beside, alone, *more, store=STORE, profile=TUNED, context=BEFORE)
    assert isinstance(done.outcome, becomes)
    first, second = done.asked[0].prompt, done.asked[1].prompt
    assert "Before: " in first and second == "".join(
        line for line in first.splitlines(keepends=True) if not line.startswith("Before: ")
    )


def test_what_comes_first_in_a_conversation_is_read_once() -> None:
    assert isinstance(planned("undo that", UNDO, store=STORE, profile=TUNED).outcome, Undo)


def test_an_able_reader_is_taken_at_its_word() -> None:
    done = planned("undo that", UNDO, store=STORE, context=BEFORE)
    assert isinstance(done.outcome, Undo) and len(done.asked) == 1


def test_where_no_likelihood_is_told_the_reading_counts() -> None:
    plain = Completion('{"undo":true}', UNDO, Usage(), "scripted")
    assert undone(plain) == 1.0 and undoes(1.0, 1.0)
    done = planned("put it back", UNDO, UNDO, store=STORE, profile=TUNED, context=BEFORE)
    assert isinstance(done.outcome, Undo)
