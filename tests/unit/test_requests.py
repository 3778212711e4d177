"""Requests: the steps of an utterance, and what goes on with an earlier turn."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.fixtures import case_id, cases
from text2mem.ir.turn import Turn
from text2mem.planner.requests import Step, read_steps

NOW = datetime(2027, 3, 1, 9, tzinfo=UTC)


def read(utterance: str, *context: str | Turn) -> tuple[Step, ...]:
    return read_steps(utterance, tuple(map(Turn.of, context)), now=NOW, tz=UTC)


def ops(steps: tuple[Step, ...]) -> list[tuple[str, ...]]:
    return [step.head.ops for step in steps]


def said(step: Step | None) -> str:
    return step.words.rstrip(".。") if step else ""


@pytest.mark.parametrize("case", list(cases("heads", "steps")), ids=case_id)
def test_an_utterance_asks_for_the_steps_that_its_fixture_says(case: dict[str, Any]) -> None:
    assert ops(read(case["input"])) == [(op,) for op in case["expected"]["ops"]]


@pytest.mark.parametrize("case", list(cases("heads", "dialogues")), ids=case_id)
def test_an_utterance_goes_on_as_its_fixture_says(case: dict[str, Any]) -> None:
    [step] = read(case["input"], *case["context"])
    expected = case["expected"]
    assert step.earlier is not None
    assert list(step.head.ops or step.earlier.head.ops) == expected["ops"]
    goes_on = "points" if step.head.ops else "answers" if step.answers else "repeats"
    assert (goes_on, said(step.earlier)) == (expected["goes_on"], expected["earlier"].rstrip(".。"))


# --- one utterance -------------------------------------------------------------------------


def test_a_piece_that_asks_for_nothing_belongs_to_its_neighbour() -> None:
    [step] = read("It was in the barn. Save that.")
    assert (step.head.ops, step.words) == (("Encode",), "It was in the barn. Save that.")


def test_what_is_said_twice_is_one_step() -> None:
    assert ops(read("Archive the kiln notes and lower their priority too.")) == [("Demote",)]
    assert ops(read("Archive the kiln notes, then archive the barn notes.")) == [("Demote",)] * 2


def test_how_a_memory_ends_is_no_step() -> None:
    for utterance in ("Keep it for two weeks, then delete it.", "保留两个星期，然后删除。"):
        assert ops(read(utterance)) == [("Expire",)]


def test_the_words_that_ask_are_left_out_of_the_rest() -> None:
    first, second = read("Please find the notes about kilns. After that, lock them.")
    assert (first.rest(()), second.rest(())) == ("the notes about kilns", "them.")


def test_joined_clauses_keep_the_place_of_their_request() -> None:
    [step] = read("In the barn. Save it with the place.", "The kiln is hot.", "Where?")
    asked = step.evidence.utterance[slice(*step.request)]
    assert asked == "Save it"


# --- turns before --------------------------------------------------------------------------


def test_without_context_nothing_goes_on() -> None:
    [step] = read("By 0.3, I'd say.")
    assert (step.head.ops, step.earlier, step.answers) == ((), None, False)


def test_what_is_left_unsaid_is_taken_from_what_was_asked_for() -> None:
    [step] = read(
        "The same for my notes about barns.", "Push my notes about kilns up by 0.3.", "Done."
    )
    [delta] = step.of("weight_delta")
    assert (delta.value, step.own("weight_delta")) == (0.3, ())


def test_a_request_of_its_own_takes_nothing_from_an_earlier_one() -> None:
    [step] = read("Archive them.", 'Show me my notes tagged "kiln".', "Here you are.")
    assert step.of("tag") == () and step.earlier is not None and step.earlier.of("tag")


def test_questions_back_are_known_by_their_mark_or_by_how_they_read() -> None:
    asked = Turn("Delete the notes about that thing.", ("4",))
    question = Turn("Could you say it in other words?", question=True)
    for context in ((asked, question), (asked.text, "Which thing?")):
        [step] = read("The kiln.", *context)
        assert step.answers and said(step.earlier) == "Delete the notes about that thing"


def test_marked_turns_are_the_persons_unless_they_ask_back() -> None:
    turns = (Turn("What do I know about kilns?", ("1",)), Turn("Tag them red", ("1",)))
    [step] = read("And now lock them.", *turns)
    assert said(step.earlier) == "Tag them red"


def test_an_earlier_turn_may_go_on_with_one_before_it() -> None:
    context = ("Lock my notes about kilns.", "Done.", "The same for those about barns.", "Done.")
    [step] = read("And those about wells.", *context)
    assert step.head.ops == () and step.earlier is not None
    assert (step.earlier.head.ops, said(step.earlier)) == (
        ("Lock",),
        "The same for those about barns",
    )


def test_only_the_first_step_goes_on() -> None:
    first, second = read(
        "Lock them, then tag them “red”.", "Show me my notes about kilns.", "Here."
    )
    assert first.earlier is not None and second.earlier is None


def test_a_long_conversation_is_read_from_its_last_turns() -> None:
    context = [*["Lock my notes about kilns.", "Done."] * 200]
    [step] = read("The same for barns.", *context)
    assert step.earlier is not None and step.earlier.head.ops == ("Lock",)
