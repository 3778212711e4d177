"""What the plain model knew of facts at an instant (docs/ledger.md, "Reading")."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from tests.adapters.plain_store import ALL, DAY, NOW, Store
from text2mem.ir.ops import ByFilter, ByIds, Delete, Demote, Expire
from text2mem.ir.record import ANONYMOUS
from text2mem.ir.times.duration import Duration

ABOUT = ByFilter(subject="Ann", attribute="city")


@pytest.fixture
def store() -> Store:
    return Store()


def day(number: int | None) -> datetime | None:
    """Day 0 is now."""
    return None if number is None else NOW + number * DAY


def at(store: Store, number: int) -> None:
    store.now = NOW + number * DAY


def known(store: Store, recorded: int, valid: int | None = None, **options: Any) -> list[Any]:
    """Value and last day of Ann's cities as they were known on a day to hold on one."""
    scope = store.scope(known_at=day(recorded), as_of=day(valid), **options)
    found = store.adapter.resolve(ABOUT, scope)
    ends = [None if row.valid_to is None else (row.valid_to - NOW) // DAY for row in found.rows]
    assert found.matched == len(ends)
    return [(row.value, end) for row, end in zip(found.rows, ends, strict=True)]


def test_both_times_answer(store: Store) -> None:
    store.fact("Rome", valid_from=day(-9))
    at(store, 2)
    store.fact("Oslo", valid_from=day(-3))
    at(store, 4)
    store.edit("2", valid_to=day(10))
    assert known(store, -1) == []
    assert known(store, 0) == known(store, 1, -2) == [("Rome", None)]
    assert known(store, 2) == known(store, 2, -2) == [("Oslo", None)]
    assert known(store, 2, -4) == [("Rome", -3)]
    assert known(store, 4) == [("Oslo", 10)]
    assert known(store, 4, 10) == []
    [row] = store.adapter.resolve(ByIds(("1",)), store.scope(known_at=day(1))).rows
    assert row.valid_to is None
    assert store.ids(ByIds(("2",)), known_at=day(1)) == []
    assert [(belief.id, belief.retracted_at) for belief in store.adapter._state.beliefs] == [
        ("1", day(2)), ("1", None), ("2", day(4)), ("2", None),
    ]  # fmt: skip


def test_what_changed_in_the_second_of_its_recording_answers_nobody(store: Store) -> None:
    store.fact("Rome", valid_from=day(-9))
    store.fact("Oslo", valid_from=day(-3))
    assert known(store, 0, -5) == [("Rome", -3)]
    store.text("no fact", tags=("x",))
    assert store.ids(ByFilter(has_tags=("x",)), known_at=NOW) == ["3"]
    assert store.ids(ByFilter(has_tags=("x",)), known_at=NOW - DAY) == []


def test_waiting_and_deleted_facts_were_not_believed(store: Store) -> None:
    store.fact("Rome", confidence=0.1)
    at(store, 1)
    store.edit("1", confidence=0.5)
    at(store, 2)
    store.run(Delete(target=ALL), "1")
    assert known(store, 1) == []
    assert known(store, 1, deleted=True) == [("Rome", None)]
    at(store, 3)
    store.edit("1", deleted=False)
    assert [known(store, number) for number in range(4)] == [
        [], [("Rome", None)], [], [("Rome", None)],
    ]  # fmt: skip
    store.run(Demote(target=ALL, archive=True), "1")
    assert known(store, 3) == []
    assert known(store, 3, archived=True) == [("Rome", None)]


def test_erased_and_anonymised_facts_are_gone_from_the_beliefs(store: Store) -> None:
    store.fact("Rome", valid_from=day(-9))
    store.fact("Oslo", valid_from=day(-3))
    store.run(Expire(target=ALL, ttl=Duration(seconds=60), on_expire="anonymize"), "1")
    store.run(Delete(target=ALL, soft=False), "2")
    assert {belief.id for belief in store.adapter._state.beliefs} == {"1"}
    at(store, 1)
    assert store.adapter.settle(store.env()).forgotten == {"1"}
    assert store.adapter._state.beliefs == []
    assert store.row("1").attribute is ANONYMOUS["attribute"]
