"""The picture of the store that an able reader is shown: all of it, or what is nearest."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.planning import CONTEXT, NOW, Raw, note, opened, step
from text2mem.ir.turn import Turn
from text2mem.planner import Ask, picture

AMPLE = 12_000
"""Tokens that every store of these tests fits into."""


def ask(said: str, store: Sequence[Raw], *turns: Turn, backend: str = "plain", **rest: Any) -> Ask:
    view = opened(backend, store).view(CONTEXT)
    return Ask(said, NOW, turns, view, None, **rest)


def rows(shown: str) -> dict[str, Any]:
    """What a picture says of each memory, by id."""
    lines = shown.split("\n")[2:-1]
    pairs = (line.split(" ", 1) for line in lines if not line.startswith("tags in use: "))
    return {id_: json.loads(held) for id_, held in pairs}


def test_without_a_store_there_is_no_picture() -> None:
    assert picture.show(Ask("x", NOW), AMPLE) == ""


@pytest.mark.parametrize("backend", ["plain", "sqlite"])
def test_an_empty_store_is_said_to_be_empty(backend: str) -> None:
    assert picture.show(ask("x", [], backend=backend), AMPLE) == "<store>\n0 memories\n</store>"


@pytest.mark.parametrize("backend", ["plain", "sqlite"])
def test_a_small_store_is_shown_whole_with_what_tells_of_each_memory(backend: str) -> None:
    at = "2026-03-06T10:30:00Z"
    store = [
        note("Milk is\nout", "list", "food"),
        step("Encode", payload={"text": "Ferry at eight"}, time=at, remind={"at": at}),
        note("Old gate code 4471"),
        step("Demote", {"ids": ["3"]}, archive=True),
        note("The will"),
        step("Lock", {"ids": ["4"]}, mode="read_only"),
        note("Voucher"),
        step("Expire", {"ids": ["5"]}, until="2026-03-06T16:00:00Z"),
        note("gone"),
        step("Delete", {"ids": ["6"]}),
        step("Promote", {"ids": ["1"]}, weight=0.85),
    ]
    shown = picture.show(ask("x", store, backend=backend, tz=ZoneInfo("Asia/Shanghai")), AMPLE)
    assert shown.startswith("<store>\n") and shown.endswith("\n</store>")
    assert "\ntags in use: " in shown
    assert rows(shown) == {
        "1": {"text": "Milk is out", "tags": ["list", "food"], "priority": "high"},
        "2": {"text": "Ferry at eight", "time": "2026-03-06 18:30", "remind": "2026-03-06 18:30"},
        "3": {"text": "Old gate code 4471", "archived": True},
        "4": {"text": "The will", "locked": "read_only"},
        "5": {"text": "Voucher", "expires": "2026-03-07"},
    }


def test_the_text_of_a_memory_is_cut_where_it_is_very_long() -> None:
    held = rows(picture.show(ask("x", [note("long " * 400)]), AMPLE))["1"]["text"]
    assert len(held) == 601 and held.endswith("…")


MANY = [
    *(note(f"The gauge of tank {n} was read on a rainy day of the week") for n in range(340)),
    note("The zeppelin leaves its hangar on Sunday", "airship"),
    note("A zeppelin needs helium"),
]


@pytest.mark.parametrize("backend", ["plain", "sqlite"])
def test_of_a_large_store_the_nearest_are_shown_and_how_many_there_are(backend: str) -> None:
    shown = picture.show(ask("When does the zeppelin leave?", MANY, backend=backend), 1_000)
    count, head = len(rows(shown)), shown.split("\n")[1]
    assert head == f"{count} of 342 memories shown"
    assert {"341", "342"} <= rows(shown).keys()
    assert count <= 24


@pytest.mark.parametrize("budget", [10, 40, 100, 400, 3_000])
def test_a_picture_keeps_to_its_budget_and_shows_the_nearest(budget: int) -> None:
    shown = picture.show(ask("the gauge of a tank in the week", MANY), budget)
    lines = [line for line in shown.split("\n")[2:-1] if not line.startswith("tags in use")]
    first, *others = lines
    assert sum(map(len, others)) <= 3 * budget
    assert not others or len(first) + sum(map(len, others)) <= 3 * budget
    assert shown.split("\n")[1] == f"{len(lines)} of 342 memories shown"


@pytest.mark.parametrize("backend", ["plain", "sqlite"])
def test_a_store_of_several_hundreds_that_fits_is_shown_whole(backend: str) -> None:
    shown = picture.show(ask("When does the zeppelin leave?", MANY, backend=backend), AMPLE)
    assert shown.split("\n")[1] == "342 memories"
    assert rows(shown).keys() == {str(n) for n in range(1, 343)}


def test_what_is_deleted_takes_no_place_in_a_picture() -> None:
    gone = step("Delete", {"ids": [str(n) for n in range(2, 302)]})
    store = [note("The zeppelin leaves on Sunday"), *(note("x") for _ in range(300)), gone]
    view = picture.look(ask("When does the zeppelin leave?", store), 1_000)
    assert [record.id for record in view.records] == ["1"] and view.whole


def test_a_long_memory_that_is_meant_is_seen_and_leaves_out_no_short_one() -> None:
    lease = note("租房合同的要点：" + "房租每月五号前交，押金两个月，水电自理。" * 20)
    store = [lease, note("租房合同在抽屉里"), note("牛奶喝完了")]
    view = picture.look(ask("把租房合同的要点那条锁定", store), 100)
    assert "1" in {record.id for record in view.records} and not view.whole
    lease = note("牛奶：" + "鲜奶酸奶羊奶各要两瓶。" * 60)
    view = picture.look(ask("租房合同在抽屉里还是柜子里", [lease, *store[1:]]), 100)
    assert "2" in {record.id for record in view.records}


def test_what_the_conversation_was_about_is_shown_however_far_it_is() -> None:
    turn = Turn("and the gauges", ("7",))
    shown = picture.show(ask("When does the zeppelin leave?", MANY, turn), 1_000)
    assert "7" in rows(shown)


def test_of_a_large_store_without_a_word_in_common_none_has_to_be_shown() -> None:
    shown = picture.show(ask("quizzical xylophone", MANY), 1_000)
    assert shown.split("\n")[1].endswith(" of 342 memories shown")


def test_the_last_turns_are_shown_one_a_line() -> None:
    turns = [Turn(f"turn {n}") for n in range(9)]
    said = picture.turns(ask("x", [], *turns))
    assert said == "\n".join(f"Before: turn {n}" for n in range(3, 9))
    spread = Turn("two\u2028lines\r\nRequest: x", ("1", "2"), question=True)
    assert picture.turns(ask("x", [], spread)) == "Asked back: two lines Request: x → memories 1, 2"
