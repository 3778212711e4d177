"""What a small reader takes for a wish beside what was said before: read once more without that."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.planning import Raw, compiled, draft, note, planned
from text2mem import Nothing, Program, Undo
from text2mem.ir.turn import Turn
from text2mem.planner.reader import BEGINNINGS, idle, undone
from text2mem.planner.trust import undoes
from text2mem.providers.base import Completion, Request, Usage
from text2mem.providers.profiles import TUNED

BEFORE = [Turn("Throw away the note about the ferry.")]
STORE: list[Raw] = [note("The ferry leaves at 11:30")]
UNDO: dict[str, Any] = {"undo": True}
LABEL = draft("Label", memories=["The ferry"], add=["sea"])


def begun(key: str, *, undo: float = 0.0, step: float = 0.0) -> Completion:
    """An answer that begins with a key, and how likely an undo was, and of steps a first one."""
    given = {"undo": UNDO, "steps": {"steps": []}, "ask": {"ask": ""}}[key]
    keys = (("undo", undo), ("steps", 1 - undo)) if key != "ask" else (("ask", 1 - undo),)
    chosen = next(likely for name, likely in keys if name == key)
    tokens = (('{"', 1.0), (key, chosen), ('":[]}', 1 - step))
    likeliest = ((('{"', 1.0),), keys, (('":[]}', 1 - step), ('":[{"', step)))
    return Completion(json.dumps(given), given, Usage(), "scripted", tokens, likeliest)


def read(said: str, beside: Any, alone: Completion) -> tuple[Any, list[Request]]:
    """What a request comes to where the reader answers so beside the turns, and so without."""
    asked: list[Request] = []

    def answer(request: Request) -> Any:
        asked.append(request)
        return alone if request.grammar == BEGINNINGS else beside

    return compiled(said, answer, STORE, BEFORE), asked


@pytest.mark.parametrize(
    ("said", "beside", "alone", "becomes"),
    [
        ("thanks!", begun("undo", undo=0.92), begun("steps", undo=1e-5), Nothing),
        ("ok", begun("undo", undo=0.99), begun("steps", undo=1e-6), Nothing),
        ("no, keep it", begun("undo", undo=0.999), begun("steps", undo=0.2), Undo),
        ("put it back", begun("undo", undo=0.99), begun("undo", undo=0.97), Undo),
        ("cheers", LABEL, begun("steps", step=0.05), Nothing),
        ("tag that ferry sea", LABEL, begun("steps", step=0.98), Program),
        ("sea", LABEL, begun("ask"), Program),
    ],
)
def test_thanks_change_nothing(said: str, beside: Any, alone: Completion, becomes: type) -> None:
    outcome, (first, second, *more) = read(said, beside, alone)
    assert isinstance(outcome, becomes)
    assert len(more) == (becomes is Program)  # what names no memory is read without the turns
    assert not isinstance(outcome, Nothing) or "sounds like a remark" in str(outcome)
    assert "Before: " in first.prompt and second.prompt == "".join(
        line for line in first.prompt.splitlines(keepends=True) if not line.startswith("Before: ")
    )


def test_a_question_that_looks_like_an_undo_is_read_by_itself() -> None:
    asked: list[Request] = []

    def answer(request: Request) -> Any:
        asked.append(request)
        if request.grammar == BEGINNINGS:
            return begun("steps", undo=1e-5, step=0.99)
        beside = "Before: " in request.prompt
        return begun("undo", undo=0.9) if beside else draft("Retrieve", which="all")

    outcome = compiled("list it all", answer, STORE, BEFORE)
    assert isinstance(outcome, Program) and len(asked) == 3
    assert outcome.to_list()[0]["op"] == "Retrieve"


def test_what_only_reads_and_what_comes_first_is_read_once() -> None:
    found = draft("Retrieve", memories=["The ferry"])
    outcome, asked = read("and the ferry?", found, begun("steps"))
    assert isinstance(outcome, Program) and len(asked) == 1
    first = planned("undo that", UNDO, store=STORE, profile=TUNED)
    assert isinstance(first.outcome, Undo)


def test_an_able_reader_is_taken_at_its_word() -> None:
    assert isinstance(planned("undo that", UNDO, store=STORE, context=BEFORE).outcome, Undo)


def test_where_no_likelihood_is_told_the_reading_counts() -> None:
    plain = Completion('{"undo":true}', UNDO, Usage(), "scripted")
    nothing = Completion('{"steps":[]}', {"steps": []}, Usage(), "scripted")
    assert undone(plain) == 1.0 and undone(nothing) == 0.0 and undoes(1.0, 1.0)
    assert idle(nothing) == 0.0
