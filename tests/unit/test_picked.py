"""Picked: of several memories each is borne out by the words that are about it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.planning import NOW
from text2mem.ir.record import Record
from text2mem.ir.words.segment import index_terms, without
from text2mem.planner.draft import Step
from text2mem.planner.picked import Picked

HELD = [
    Record(id=str(number), text=text, created_at=NOW, updated_at=NOW)
    for number, text in enumerate(
        ["Site meeting every day at nine, room B", "Minutes of the week lie in Notion",
         "The lease ends in May", "Kitchen budget 400", "购物：牛奶、鸡蛋", "退货地址：三号楼"],
        1,
    )
]  # fmt: skip


def borne_out(said: str, *ids: str) -> float:
    records = [record for record in HELD if record.id in ids]
    return Picked(Step("Merge", {"ids": list(ids)}), records, said, HELD, None, {}).borne_out


@pytest.mark.parametrize(
    ("said", "ids"),
    [
        ("Merge the lease and the kitchen budget", ("3", "4")),
        ("购物和退货地址合成一条", ("5", "6")),
    ],
)
def test_the_words_of_one_do_not_speak_against_another(said: str, ids: tuple[str, str]) -> None:
    both = borne_out(said, *ids)
    assert both > min(borne_out(said, id_) for id_ in ids)
    assert borne_out(said, ids[0], "1") < both


def test_what_is_done_in_two_steps_is_as_sure_as_in_one() -> None:
    legs = [Record(id=str(n), text=f"Tour leg {n}", created_at=NOW, updated_at=NOW) for n in (7, 8)]
    everything = [*HELD, *legs]
    said = "The whole tour is off. Delete leg 7 and leg 8."

    def picked(*fellows: Record) -> Picked:
        step = Step("Delete", {"ids": ["7"]})
        return Picked(step, legs[:1], said, everything, None, {}, fellows=fellows)

    alone, together = picked(), picked(legs[1])
    assert together.margin > alone.margin
    assert together.borne_out >= alone.borne_out
    assert not together.rivals(())


@pytest.mark.parametrize(
    ("text", "terms", "rest"),
    [
        ("Delete leg 1 and the leg 2 notes", {"leg", "1"}, "delete and the 2 notes"),
        ("both notes", {"note"}, "both"),
        ("购物清单和退货地址都扔了", {"退货", "货地", "地址"}, "购物清单和 都扔了"),
        ("雨", {"雨"}, ""),
        ("nothing", set(), "nothing"),
    ],
)
def test_words_without_terms(text: str, terms: set[str], rest: str) -> None:
    assert without(text, terms) == rest


@given(st.text(max_size=30), st.sets(st.text(min_size=1, max_size=2), max_size=4))
def test_what_is_left_was_said(text: str, terms: set[str]) -> None:
    left = without(text, terms)
    assert {*index_terms(left)} <= {*index_terms(text)}
    assert without(left, terms) == without(left, terms)
