"""What a request names and the store does not hold: asked about, or a program that hits nothing."""

from __future__ import annotations

import pytest

from tests.planning import note, planned
from text2mem.program import Program

STORE = [
    note("The ferry to Nesodden leaves at 8:15.", "travel"),
    note("Meeting on the budget: the licences went up.", "budget", "meeting"),
    note("The will is with the notary.", "papers"),
    note("Specifications of the pump, as of 2022.", "pump"),
]


@pytest.mark.parametrize(
    "said",
    [
        "Tag the notes about the zeppelin as urgent.",
        "Give the zeppelin notes a higher priority.",
        "Freeze my notes about the zeppelin.",
        "给关于飞艇的笔记加上“加急”标签。",
    ],
)
def test_what_destroys_nothing_hits_nothing_and_says_so(said: str) -> None:
    done = planned(said, store=STORE).outcome
    assert isinstance(done, Program)
    [warning] = done.warnings
    assert (warning.code, warning.severity) == ("empty-selection", "warning")
    assert warning.pointer == "/0/target"
    assert "zeppelin" in warning.message or "飞艇" in warning.message


@pytest.mark.parametrize(
    "said", ["Delete the note about the zeppelin.", "Let the zeppelin notes expire in a week."]
)
def test_what_destroys_asks(said: str) -> None:
    assert planned(said, store=STORE).question.reason == "nothing-found"


def test_a_search_that_would_take_what_is_only_like_it_is_not_made() -> None:
    [tag] = planned("Tag the budget of the notary as urgent.", store=STORE).program
    assert tag["target"] == {"filter": {"has_tags": ["the budget of the notary"]}}


def test_a_write_that_the_model_chose_asks_where_it_hits_nothing() -> None:
    asked = planned("Make the zeppelin readable.", {"verbs": ["Promote"]}, store=STORE)
    assert asked.question.reason == "nothing-found"


def test_a_later_step_speaks_of_parts_of_what_the_first_one_found() -> None:
    said = "Show me the budget meeting, then tag the key points as 'to do'."
    read, tag = planned(said, store=STORE).program
    assert read["op"] == "Retrieve" and tag["op"] == "Label"
    assert tag["target"] == {"ids": ["$1"]}


@pytest.mark.parametrize(
    ("said", "id_"),
    [
        ("Lock the will.", "3"),
        ("Delete the pump specs.", "4"),
        ("Change the ferry to Nesodden to 9:15 in my calendar.", "1"),
    ],
)
def test_what_is_there_is_found_by_a_noun_a_short_form_and_before_its_purpose(
    said: str, id_: str
) -> None:
    compiled = planned(said, store=STORE)
    [one] = compiled.program
    found = one["target"]
    tags = {"3": ["papers"], "4": ["pump"], "1": ["travel"]}[id_]
    assert found == {"ids": [id_]} or set(found["filter"]["has_tags"]) <= set(tags)


def test_an_update_of_nothing_with_nothing_asks_for_both() -> None:
    asked = planned("Update the zeppelin notes with the latest figures.", store=STORE).question
    assert asked.reason == "missing-content" and "zeppelin" in asked.question
    assert asked.question.endswith("Which one do you mean, and what should it say?")


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("Keep the ferry note only for a while.", "Until when, or for how long?"),
        ("Let the notes tagged budget expire in a little while.", "Until when, or for how long?"),
        ("让带“budget”标签的笔记过一段时间失效。", "到什么时候为止？"),
    ],
)
def test_an_end_that_nobody_can_tell_is_asked_for(said: str, asked: str) -> None:
    question = planned(said, store=STORE).question
    assert (question.reason, question.question) == ("missing-content", asked)


def test_an_end_that_is_told_is_not_asked_for() -> None:
    [one] = planned("Keep the ferry note only for a while, until 5 May.", store=STORE).program
    assert one["op"] == "Expire" and one["args"]["until"].startswith("2026-05-05")


def test_what_is_to_be_merged_and_is_one_memory_is_asked_about() -> None:
    question = planned(
        "把渡轮的笔记和票合并成一条。", store=[note("渡轮八点开。", "出行")]
    ).question
    assert question.reason == "ambiguous-target" and "哪一条合并" in question.question
