"""Lists: whoever names one thing of a list does not mean all of it."""

from __future__ import annotations

import pytest

from tests.planning import SMALL, draft, note, planned, step
from text2mem.editing.lists import item_of

SHOPPING = "Shopping: milk, eggs, two loaves of bread, olive oil"
MARKET = "购物清单：牛奶、鸡蛋、面包两个、酱油"


@pytest.mark.parametrize(
    ("text", "words", "item"),
    [
        (SHOPPING, "the bread", "two loaves of bread"),
        (SHOPPING, "milk", "milk"),
        (SHOPPING, "shopping list", None),
        (SHOPPING, "the shopping with the bread", None),
        (SHOPPING, "milk and eggs", None),
        (SHOPPING, "butter", None),
        (SHOPPING, "", None),
        (MARKET, "面包", "面包两个"),
        (MARKET, "购物清单", None),
        ("Shopping: milk, eggs", "milk", None),
        ("Dentist on Tuesday, ten o'clock, bring the x-rays", "x-rays", None),
        ("Gift: the blue plate, wrapped, in the cupboard of my office", "plate", None),
        ("Gift: the blue plate, wrapped, in the cupboard of my office", "cupboard", None),
        ("Call at 10:30, 11:15, 12:00, 13:45", "12", None),
        ("Songs: Moss, Dial Tone, Moss", "Moss", None),
    ],
)
def test_the_item_that_words_name(text: str, words: str, item: str | None) -> None:
    assert item_of(text, words) == item


@pytest.mark.parametrize(
    ("said", "about", "held", "left"),
    [
        ("The bread can go.", "bread", SHOPPING, "Shopping: milk, eggs, olive oil"),
        ("面包可以删了。", "面包", MARKET, "购物清单：牛奶、鸡蛋、酱油"),
    ],
)
@pytest.mark.parametrize("hidden", [{"op": "Delete"}, {"op": "Demote", "archive": True}])
def test_it_is_asked_whether_the_item_goes_or_the_list(
    said: str, about: str, held: str, left: str, hidden: dict[str, object]
) -> None:
    slots = {name: value for name, value in hidden.items() if name != "op"}
    meant = draft(str(hidden["op"]), about=about, ids=["1"], **slots)
    store = [note(held), note("Passport renewal")]
    question = planned(said, meant, store=store, profile=SMALL).question
    assert question.reason == "ambiguous-target"
    taken, whole = question.options
    (update,) = taken.program.to_list()
    edit = update["args"]["replace"]
    assert held.replace(edit["old"], edit["new"]) == left
    assert [each["op"] for each in whole.program.to_list()] == [hidden["op"]]


def test_a_list_that_is_named_goes_unasked() -> None:
    meant = draft("Delete", about="shopping list", ids=["1"])
    done = planned("Delete the shopping list.", meant, store=[note(SHOPPING), note("Milk is out")])
    assert [each["op"] for each in done.program] == ["Delete"]


def test_another_end_is_for_the_whole_list() -> None:
    text = "Rain plan: the marquee, heaters, umbrellas"
    plan = step("Encode", payload={"text": text}, expire_at="2026-12-01T00:00:00Z")
    meant = draft("Expire", about="marquee", ids=["1"], when="a week longer")
    done = planned("Keep the marquee a week longer.", meant, store=[plan, note("Milk is out")])
    (made,) = done.program
    assert (made["op"], made["args"]["until"]) == ("Expire", "2026-12-08T00:00:00Z")


def test_a_sooner_end_is_asked_about_as_for_any_list() -> None:
    text = "Rain plan: the marquee, heaters, umbrellas"
    plan = step("Encode", payload={"text": text}, expire_at="2026-12-01T00:00:00Z")
    meant = draft("Expire", about="marquee", ids=["1"], when="tomorrow")
    store = [plan, note("Milk is out")]
    asked = planned("The marquee can go tomorrow.", meant, store=store, profile=SMALL)
    assert "the marquee" in asked.question.question
