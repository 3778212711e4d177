"""What an Update of a fact comes to: a fact says its value, and nothing else."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.planning import ABLE, CONTEXT, Raw, draft, note, opened, planned, step
from text2mem.running import execute

CITY = {"subject": "Ann", "attribute": "city", "value": "Bern"}
STORE = [step("Encode", payload={"structured": CITY})]


@pytest.mark.parametrize(
    ("said", "slots", "wanted"),
    [
        ("Change Ann's city to Chur", {"text": "Chur"},
         step("Update", {"ids": ["1"]}, set={"value": "Chur"})),
        ("Add to Ann's city: the old town", {"add": "the old town"},
         step("Encode", payload={"text": "the old town"}, lineage_parents=["1"])),
    ],
)  # fmt: skip
def test_a_fact_has_another_value_or_a_memory_beside_it(
    said: str, slots: dict[str, str], wanted: Raw
) -> None:
    store = opened("sqlite", STORE)
    made = planned(said, draft("Update", about="Ann's city", **slots), store=store)
    assert made.program == [wanted]
    done = execute(made.program, store, context=CONTEXT)
    assert done.ok, done.error


@pytest.mark.parametrize(
    ("held", "said", "slots", "left"),
    [
        ("owes Ann 12,400 euro, due 30/11", "the flour is paid",
         {"old": "12,400", "minus": "12,400"},
         "owes Ann 12,400 euro, due 30/11, the flour is paid"),
        ("owes Ann 12,400 euro, due 30/11", "I paid Ann all 12,400",
         {"old": "12,400", "minus": "12,400"}, "owes Ann 0 euro, due 30/11"),
        ("1 jar of honey left", "one jar of honey is gone", {"old": "1", "minus": "one"},
         "0 jar of honey left"),
    ],
)  # fmt: skip
def test_nothing_is_brought_to_nought_that_nobody_said(
    held: str, said: str, slots: dict[str, str], left: str
) -> None:
    store = opened("sqlite", [note(held)])
    made = planned(said, draft("Update", ids=["1"], **slots), store=store, profile=ABLE)
    done = execute(made.program, store, context=CONTEXT)
    assert done.ok, done.error
    (record,) = store.view(CONTEXT).find(["1"]).values()
    assert record.text == left


@pytest.mark.parametrize(
    ("held", "said", "words", "left"),
    [
        ("Rota: Ann Monday, Ben Tuesday", "swap Ann and Ben in the rota", ("Ann", "Ben", "Ann"),
         "Rota: Ben Monday, Ann Tuesday"),
        ("Plan: table 1 Ada, Chi; table 2 Lars", "swap table 1 and table 2",
         ("table 1", "table 2", "table 1"), "Plan: table 2 Ada, Chi; table 1 Lars"),
        ("排班：周一刘姐，周二陈姐", "刘姐和陈姐对调", ("刘姐", "陈姐", "刘姐"),
         "排班：周一陈姐，周二刘姐"),
        ("Choir: Max, Ida", "not Max but Bo in the choir, Bo Lee", ("Max", "Bo", "Bo Lee"),
         "Choir: Bo Lee, Ida"),
        ("Rota: Ann, Ben, Cy", "Ann, Ben and Cy take turns", ("Ann", "Ben", "Cy", "Ann"),
         "Rota: Ben, Cy, Ann"),
        ("Milk 2, eggs 3, oil 4", "milk 3, eggs 4, oil 5", ("2", "3", "4", "5"),
         "Milk 3, eggs 4, oil 5"),
    ],
)  # fmt: skip
def test_words_that_change_places_are_not_changed_twice(
    held: str, said: str, words: tuple[str, ...], left: str
) -> None:
    store = opened("sqlite", [note(held)])
    steps = [{"op": "Update", "ids": ["1"], "old": a, "new": b} for a, b in pairwise(words)]
    made = planned(said, {"steps": steps}, store=store, profile=ABLE)
    done = execute(made.program, store, context=CONTEXT)
    assert done.ok, done.error
    (record,) = store.view(CONTEXT).find(["1"]).values()
    assert record.text == left


def test_words_that_change_places_keep_what_is_added_between() -> None:
    swap = {"op": "Update", "ids": ["1"], "old": "Ann", "new": "Ben"}
    steps = [swap, {"op": "Update", "ids": ["1"], "add": "Dora"},
             {"op": "Update", "ids": ["1"], "old": "Ben", "new": "Ann"}]  # fmt: skip
    store = opened("sqlite", [note("Rota: Ann, Ben")])
    made = planned("swap Ann and Ben, and add Dora", {"steps": steps}, store=store, profile=ABLE)
    assert execute(made.program, store, context=CONTEXT).ok
    (record,) = store.view(CONTEXT).find(["1"]).values()
    assert "Dora" in record.text
