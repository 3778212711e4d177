"""What a small reader takes for the memory of the turn before, and means something else by itself:
every memory, another one, or news.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.planning import Raw, besides, compiled, draft, note
from text2mem import Clarification, Program
from text2mem.compiled import Compiled
from text2mem.ir.turn import Turn
from text2mem.providers.base import Request

BEFORE = [Turn("Move the ferry to noon.", ids=("1",))]
STORE: list[Raw] = [note("The ferry leaves at noon"), note("Rent is due on the 5th")]
THAT = ["The ferry"]


def read(
    said: str,
    op: str,
    beside: Any,
    alone: Any,
    *,
    by_itself: str = "",
    held: Any = STORE,
    before: Any = BEFORE,
) -> tuple[Compiled, int]:
    """What a request comes to where the reader answers so beside the turns, and so without; how
    often it was asked for a draft without them."""
    answers = draft(op, **beside), draft(by_itself or op, **alone)
    return heard(said, "Before: ", *answers, held, before)


def heard(
    said: str, mark: str, marked: Any, unmarked: Any, held: Any, before: Any
) -> tuple[Compiled, int]:
    """What a request comes to with one answer to a prompt that has a mark, and another one to those
    that have not; how often the reader was asked these."""
    without = 0

    def answer(request: Request) -> Any:
        nonlocal without
        other = besides(request)
        if other is not None:
            return other
        if mark in request.prompt:
            return marked
        without += 1
        return unmarked

    outcome = compiled(said, answer, held, before)
    return outcome, without


@pytest.mark.parametrize(
    ("said", "beside"),
    [("what do I have?", {"memories": THAT}), ("列出全部", {"which": "earlier"})],
)
def test_a_question_about_everything_is_answered_with_everything(
    said: str, beside: dict[str, Any]
) -> None:
    outcome, without = read(said, "Retrieve", beside, {"which": "all"})
    assert isinstance(outcome, Program) and without == 1
    (op,) = outcome.to_list()
    assert op["target"] == {"all": True}


def test_a_question_about_everything_changes_nothing() -> None:
    outcome, _ = read(
        "show all", "Promote", {"memories": THAT}, {"which": "all"}, by_itself="Retrieve"
    )
    assert isinstance(outcome, Program)
    (op,) = outcome.to_list()
    assert (op["op"], op["target"]) == ("Retrieve", {"all": True})


def test_what_the_turns_before_answer_stays_so() -> None:
    outcome, without = read(
        "when is it?", "Retrieve", {"memories": THAT}, {"memories": ["Rent is"]}
    )
    assert isinstance(outcome, Program) and without == 2  # over the store, and without it
    assert outcome.to_list()[0]["target"] == {"ids": ["1"]}


def test_what_an_utterance_names_is_not_read_again() -> None:
    outcome, without = read("and the ferry?", "Retrieve", {"memories": THAT}, {"which": "all"})
    assert isinstance(outcome, Program) and without == 0


@pytest.mark.parametrize(
    ("said", "names"), [("forget it all", "All 2 memories"), ("全删了", "全部 2 条记忆")]
)
def test_what_may_mean_everything_offers_that_as_well(said: str, names: str) -> None:
    outcome, without = read(said, "Delete", {"memories": THAT}, {"which": "all"})
    assert isinstance(outcome, Clarification) and without == 1
    assert outcome.reason == "ambiguous-target"
    assert [option.label for option in outcome.options] == ["The ferry leaves at noon", names]
    every = outcome.options[-1].program.to_list()
    assert every[0]["op"] == "Delete" and every[0]["target"] == {"all": True}


def test_everything_is_offered_once() -> None:
    those, every = draft("Delete", ids=["1", "2"]), draft("Delete", which="all")
    outcome, _ = heard("Delete all of it.", "Before: ", those, every, STORE, BEFORE)
    assert isinstance(outcome, Clarification)
    notes = ["The ferry leaves at noon", "Rent is due on the 5th"]
    assert [option.label for option in outcome.options] == [*notes, "All 2 memories"]


def test_what_means_one_by_itself_too_is_not_offered_as_all() -> None:
    outcome, without = read("scrap that one", "Delete", {"memories": THAT}, {"which": "latest"})
    assert without == 1
    assert isinstance(outcome, Clarification)  # for want of words: its only option is the ferry
    assert [option.label for option in outcome.options] == ["The ferry leaves at noon"]


def test_what_names_another_memory_is_done_to_that_one() -> None:
    beside = {"memories": THAT, "old": "noon", "new": "6th"}
    alone = {"about": "rent", "memories": ["Rent is"], "old": "5th", "new": "6th"}
    outcome, without = read("the rent is due on the 6th", "Update", beside, alone)
    assert isinstance(outcome, Program) and without == 1
    (op,) = outcome.to_list()
    assert op["target"] == {"ids": ["2"]} and op["args"]["replace"]["new"] == "6th"


def test_a_correction_of_the_turn_before_stays_one() -> None:
    beside = {"memories": THAT, "old": "noon", "new": "one o'clock"}
    alone = {"memories": ["Rent is"], "old": "5th", "new": "one o'clock"}
    outcome, without = read("make that one o'clock", "Update", beside, alone)
    assert isinstance(outcome, Program) and without == 1
    assert outcome.to_list()[0]["target"] == {"ids": ["1"]}


@pytest.mark.parametrize("said", ["the plumber is coming on Friday", "周五水管工来",
                                  "the other ferry has a bar"])  # fmt: skip
def test_news_of_something_else_is_kept(said: str) -> None:
    outcome, _ = read(said, "Update", {"memories": THAT, "old": "noon", "new": said},
                      {"text": said}, by_itself="Encode")  # fmt: skip
    assert isinstance(outcome, Program)
    (op,) = outcome.to_list()
    assert op["op"] == "Encode" and op["args"]["payload"] == {"text": said}


def test_news_after_which_a_memory_may_go_is_not_kept_in_its_place() -> None:
    said = "that is over and done with"
    outcome, without = read(
        said, "Delete", {"which": "earlier"}, {"text": said}, by_itself="Encode"
    )
    assert without == 1
    assert isinstance(outcome, Program)
    (op,) = outcome.to_list()
    assert (op["op"], op["target"]) == ("Delete", {"ids": ["1"]})


def test_one_memory_is_not_offered_as_all_of_them() -> None:
    outcome, _ = read("delete that", "Delete", {"memories": THAT}, {"which": "all"}, held=STORE[:1])
    assert not isinstance(outcome, Clarification) or len(outcome.options) == 1


def test_a_new_memory_is_not_filed_under_what_the_turn_before_said() -> None:
    said = "周五水管工来"
    beside, alone = {"text": said, "tags": ["ferry"]}, {"text": said, "date": "周五"}
    outcome, without = read(said, "Encode", beside, alone)
    assert isinstance(outcome, Program) and without == 1
    assert set(outcome.to_list()[0]["args"]) == {"payload", "time"}


def test_an_answer_to_a_question_is_read_with_what_it_answers() -> None:
    asked = [*BEFORE, Turn("To when?", question=True)]
    beside = {"memories": THAT, "old": "noon", "new": "the 5th"}
    alone = {"about": "5th", "memories": ["Rent is"], "old": "5th", "new": "the 5th"}
    outcome, without = read("the 5th", "Update", beside, alone, before=asked)
    assert without == 0
    assert isinstance(outcome, Clarification)  # nothing that was said names the ferry
    assert [option.label for option in outcome.options] == ["The ferry leaves at noon"]


def test_where_neither_reading_fits_better_the_one_beside_the_turns_goes_on() -> None:
    beside = {"memories": THAT, "old": "noon", "new": "one"}
    outcome, _ = read("black is one now", "Update", beside, {"memories": ["Rent is"], "new": "one"})
    assert isinstance(outcome, Program)  # neither says more, and neither is surer
    assert outcome.to_list()[0]["target"] == {"ids": ["1"]}


def test_an_ending_is_no_word_that_both_share() -> None:
    said, news = "Ana's number is 5550199", {"text": "Ana's number is 5550199"}
    beside = {"memories": ["The captain's"], "add": said}
    held = [note("The captain's birthday: a scarf"), *STORE]
    outcome, without = read(said, "Update", beside, news, by_itself="Encode", held=held)
    assert isinstance(outcome, Program) and without == 1
    assert [op["op"] for op in outcome.to_list()] == ["Encode"]


@pytest.mark.parametrize(
    ("said", "about", "reason"),
    [
        ("Wiebke defends in february", "Wiebke", "nothing-found"),
        ("维布克二月答辩", "维布克", "nothing-found"),
        ("make it one", "it", None),
        ("change the ferry time to one", "ferry time", None),
    ],
)
def test_what_names_something_else_is_not_done_to_the_memory_of_the_turn_before(
    said: str, about: str, reason: str | None
) -> None:
    beside = {"memories": THAT, "old": "noon", "new": "one"}
    outcome, _ = read(said, "Update", beside, {"about": about, "new": "one"})
    if reason is None:
        assert isinstance(outcome, Program)
        assert outcome.to_list()[0]["target"] == {"ids": ["1"]}
    else:
        assert isinstance(outcome, Clarification) and outcome.reason == reason


def look(said: str, seeing: dict[str, Any], blind: dict[str, Any]) -> tuple[Compiled, int]:
    """What a question comes to where the reader answers so over the store, and so without it; how
    often it was asked without."""
    answers = draft("Retrieve", **seeing), draft("Retrieve", **blind)
    return heard(said, "The ferry leaves at noon", *answers, STORE, [])


def test_a_question_with_no_word_for_what_was_picked_may_mean_everything() -> None:
    outcome, without = look("what do I have?", {"memories": THAT}, {"which": "all"})
    assert isinstance(outcome, Program) and without == 1
    assert outcome.to_list()[0]["target"] == {"all": True}


def test_what_means_something_without_the_store_too_keeps_what_was_picked() -> None:
    outcome, without = look("when do we sail?", {"memories": THAT}, {"about": "sail"})
    assert isinstance(outcome, Program) and without == 1
    assert outcome.to_list()[0]["target"] == {"ids": ["1"]}


def test_a_question_that_says_what_it_is_about_is_read_over_the_store_alone() -> None:
    named = {"about": "ferry", "memories": THAT}
    outcome, without = look("when does the ferry leave?", named, {"which": "all"})
    assert isinstance(outcome, Program) and without == 0
    assert outcome.to_list()[0]["target"] == {"ids": ["1"]}
