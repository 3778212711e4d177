"""What a tuned model is asked besides the draft: whether a request takes back what it asks for, and
what it excepts."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from tests.planning import Raw, besides, compiled, draft, note
from text2mem import Clarification, Program
from text2mem.compiled import Compiled
from text2mem.ir.words.splitting import clauses
from text2mem.planner.reader import BEGINNINGS
from text2mem.providers.base import Request

STORE: list[Raw] = [note("The lease ends in June"), note("Milk is out")]


def read(said: str, op: str, *, takes_back: str) -> tuple[Compiled, list[str]]:
    """What a request comes to where the reader takes ``takes_back`` for an undo; what it was shown
    to tell."""
    shown: list[str] = []

    def answer(request: Request) -> Any:
        if request.grammar == BEGINNINGS:
            shown.append(request.prompt.partition("Before: ")[2])
            return {"undo": True} if f"Request: {takes_back}\n" in request.prompt else {"steps": []}
        other = besides(request)
        return draft(op, about="lease", memories=["The lease"]) if other is None else other

    return compiled(said, answer, STORE, []), shown


@pytest.mark.parametrize(
    ("said", "takes_back"),
    [
        ("Delete the note about the lease, but keep it.", "but keep it."),
        ("把租约那条删掉，但要保留它。", "但要保留它。"),
        ("Bin the lease. No wait, leave it.", "leave it."),
        ("Bin the lease. No wait, leave it.", "No wait, leave it."),
    ],
)
def test_what_is_taken_back_in_the_same_breath_is_asked_about(said: str, takes_back: str) -> None:
    outcome, shown = read(said, "Delete", takes_back=takes_back)
    assert isinstance(outcome, Clarification) and outcome.reason == "ambiguous-target"
    head = said.removesuffix(takes_back).strip()
    assert f"{head} [The lease]\nRequest: {takes_back}\nDraft: " in shown


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Delete it, but keep it.", ["Delete it, ", "but keep it."]),
        ("It is 1,200 — no, 1,300!", ["It is 1,200 — ", "no, ", "1,300!"]),
        ("删掉那条，算了。先留着吧！", ["删掉那条，", "算了。", "先留着吧！"]),
        ("It is 3.5 now... thanks", ["It is 3.5 now... ", "thanks"]),
        ("one\ntwo", ["one\n", "two"]),
        ("delete it!", ["delete it!"]),
        ("", [""]),
    ],
)
def test_where_clauses_begin(text: str, parts: list[str]) -> None:
    ends = (0, *clauses(text), len(text))
    assert [text[first:last] for first, last in pairwise(ends)] == parts


def test_what_is_not_taken_back_runs_and_what_hides_nothing_is_not_looked_at() -> None:
    outcome, shown = read("Delete the lease, the milk stays.", "Delete", takes_back="never mind")
    assert isinstance(outcome, Program) and len(shown) == 1
    outcome, shown = read("Delete the lease", "Delete", takes_back="never mind")
    assert isinstance(outcome, Program) and not shown
    outcome, shown = read("The lease matters, raise it, please", "Promote", takes_back="please")
    assert isinstance(outcome, Program) and not shown


CAR: list[Raw] = [note("Car wash on Sunday"), note("Car insurance is paid"), note("Milk is out")]


def excepting(said: str, op: str, picks: list[str], words: str, **keys: Any) -> Compiled:
    """What a request comes to where the reader picks memories over the store, and excepts
    ``words`` without it."""

    def answer(request: Request) -> Any:
        other = besides(request)
        if other is not None:
            return other
        if request.prompt.startswith("Memories"):
            return draft(op, about="car", memories=picks, **keys)
        return draft(op, about="car", many=True, **{"except": words}, **keys)

    return compiled(said, answer, CAR, [])


def ids_of(outcome: Compiled) -> list[str]:
    """The ids that the one op of a program targets."""
    assert isinstance(outcome, Program), outcome
    (op,) = outcome.to_list()
    return list(op["target"]["ids"])


def test_what_the_request_excepts_is_left_out_of_what_was_picked() -> None:
    said = "Delete everything about the car but the insurance"
    both = excepting(said, "Delete", ["Car wash", "Car insurance"], "the insurance")
    assert ids_of(both) == ["1"]
    locked = excepting(
        "Lock all of the car except the insurance", "Lock", ["Car wash", "Car insurance"],
        "the insurance", mode="read_only",
    )  # fmt: skip
    assert ids_of(locked) == ["1"]


def test_where_only_what_is_excepted_was_picked_the_words_decide() -> None:
    said = "Delete everything about the car but the insurance"
    assert ids_of(excepting(said, "Delete", ["Car insurance"], "the insurance")) == ["1"]


def test_what_hides_only_beside_the_store_is_asked_about() -> None:
    def answer(request: Request) -> Any:
        other = besides(request)
        if other is not None:
            return other
        if request.prompt.startswith("Memories"):
            return draft("Demote", about="car", memories=["Car wash"], archive=True)
        return draft("Update", about="car wash", new="done again")

    outcome = compiled("the car wash is done again", answer, CAR, [])
    assert isinstance(outcome, Clarification) and outcome.reason == "ambiguous-target"


def test_an_exception_that_fits_nothing_picked_changes_nothing() -> None:
    said = "Delete the car notes, except for the tyres"
    both = excepting(said, "Delete", ["Car wash", "Car insurance"], "the tyres")
    assert ids_of(both) == ["1", "2"]
