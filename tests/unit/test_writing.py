"""Writing: what code writes of an instance, and where it asks a person instead."""

from __future__ import annotations

from typing import Any

import pytest

from tests.requests import CONTEXT, NOW, view
from text2mem import Memory
from text2mem.ir.ports import StoreView
from text2mem.ir.turn import Turn
from text2mem.planner.ask import Ask
from text2mem.planner.writing import Writing, write


def written(
    utterance: str, store: StoreView | None, *context: Turn, number: int = 0, op: str = ""
) -> Writing:
    """What is written of one step of a request."""
    ask = Ask(utterance, NOW, context, store=store)
    step = ask.steps[number]
    return write(op or step.head.ops[0], step, ask, number)


def many(count: int) -> StoreView:
    memory = Memory("memory:", context=CONTEXT)
    for number in range(count):
        args = {"payload": {"text": f"Receipt number {number}."}, "tags": ["receipts"]}
        assert memory.execute([{"stage": "ENC", "op": "Encode", "args": args}]).ok
    return memory.view()


def test_a_later_step_points_to_the_one_before() -> None:
    writing = written(
        "Find my notes about the choir and then archive them.", view("home-en"), number=1
    )
    assert writing.target == {"ids": ["$-1"]}


def test_them_are_the_memories_of_the_turn_before() -> None:
    turn = Turn("Show me something.", ids=("5", "6"))
    assert written("Lock them.", view("home-en"), turn).target == {"ids": ["5", "6"]}


@pytest.mark.parametrize(
    "utterance",
    [
        "Delete the note about the fence, but keep it.",
        "把篱笆那条删掉，但要保留它。",
        "Raise the importance of the fence note by minus 0.3.",
        "Set the weight of the fence note to 0.2 and to 0.9.",
        "The fence note should expire tomorrow and never expire.",
    ],
)
def test_what_does_not_go_together_is_asked_about(utterance: str) -> None:
    store = view("home-zh" if "篱笆" in utterance else "home-en")
    question = written(utterance, store).question
    assert question is not None
    assert question.reason == "not-expressible"


def test_many_memories_are_not_deleted_by_their_ids_unasked() -> None:
    store = many(25)
    reading = "Find the receipts and then delete them."
    question = written(reading, store, number=1).question
    assert question is not None
    assert question.reason == "everything"
    question = written("Delete the receipts except receipt number 3.", store).question
    assert question is not None


@pytest.mark.parametrize(
    "utterance",
    [
        "Delete my notes about the choir except the one about the piano.",
        "Delete them.",
        "Delete the note about the roof and the note about the dishwasher.",
        "Merge the note about the fence into the note about the piano.",
    ],
)
def test_what_is_not_known_is_not_touched(utterance: str) -> None:
    assert written(utterance, view("home-en")).question is not None


def test_an_update_without_content_asks_for_it() -> None:
    question = written("Update the fence note.", view("home-en")).question
    assert question is not None
    assert question.reason == "missing-content"


@pytest.mark.parametrize(
    ("utterance", "target"),
    [
        ("Delete the notes tagged 'choir'.", {"filter": {"has_tags": ["choir"]}}),
        ("Delete memory 4.", {"ids": ["4"]}),
        ("Delete my notes about the choir.", None),
        ("Delete my notes about the choir tagged 'todo'.", None),
    ],
)
def test_without_a_store_conditions_are_written_and_topics_are_asked_for(
    utterance: str, target: Any
) -> None:
    assert written(utterance, None).target == target
