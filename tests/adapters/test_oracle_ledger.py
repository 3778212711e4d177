"""The ledger on the plain model (docs/ledger.md): what is stated, and what holds then."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.adapters.plain_store import ALL, DAY, NOW, Store
from text2mem.adapters.base import Effect
from text2mem.adapters.shipped import shipped_registry
from text2mem.errors import ConfigurationError, ExecutionError
from text2mem.ir.ops import ByFilter, ByIds, BySearch, Content, Delete
from text2mem.ir.registry import Registry
from text2mem_bench.oracle.adapter import PlainAdapter

ABOUT = ByFilter(subject="Ann", attribute="city")
MANY: dict[str, Any] = {"attributes": {"likes": {"cardinality": "many", "normaliser": "lower"}}}


@pytest.fixture
def store() -> Store:
    return Store()


def day(number: int | None) -> datetime | None:
    """Day 0 is now."""
    return None if number is None else NOW + number * DAY


def lines(store: Store) -> dict[str, tuple[Any, int, int | None]]:
    """Value, first and last day of every version that holds at some time."""
    found = {}
    for record in store.adapter._state.in_order():
        assert record.valid_from is not None
        span = [
            None if end is None else (end - NOW) // DAY
            for end in (record.valid_from, record.valid_to)
        ]
        if not record.deleted and not record.pending and span[0] != span[1]:
            found[record.id] = (record.value, *span)
    return found


Stated = tuple[str, int] | tuple[str, int, int]

STATED: dict[str, tuple[list[Stated], dict[str, Any]]] = {
    "a newer value closes": (
        [("Rome", -9), ("Oslo", -2)],
        {"1": ("Rome", -9, -2), "2": ("Oslo", -2, None)},
    ),
    "a late arrival is clipped on both sides": (
        [("Rome", -9), ("Oslo", -2), ("Bern", -5)],
        {"1": ("Rome", -9, -5), "2": ("Oslo", -2, None), "3": ("Bern", -5, -2)},
    ),
    "a late arrival before all others": (
        [("Rome", -2), ("Oslo", -5)],
        {"1": ("Rome", -2, None), "2": ("Oslo", -5, -2)},
    ),
    "a late arrival with an end of its own": (
        [("Rome", -9), ("Oslo", -2), ("Bern", -6, -5)],
        {"1": ("Rome", -9, -6), "2": ("Oslo", -2, None), "3": ("Bern", -6, -5)},
    ),
    "a correction": ([("Rome", -5), ("Oslo", -5)], {"2": ("Oslo", -5, None)}),
    "a correction of a past version": (
        [("Rome", -9), ("Oslo", -2), ("Bern", -9)],
        {"2": ("Oslo", -2, None), "3": ("Bern", -9, -2)},
    ),
    "a value to come": (
        [("Rome", -9), ("Oslo", 5)],
        {"1": ("Rome", -9, 5), "2": ("Oslo", 5, None)},
    ),
    "into the gap after an end": (
        [("Rome", -9, -7), ("Oslo", -5)],
        {"1": ("Rome", -9, -7), "2": ("Oslo", -5, None)},
    ),
    "the same value again": ([("Rome", -9), ("Rome", -2)], {"1": ("Rome", -9, None)}),
    "the same value after a gap": (
        [("Rome", -9, -7), ("Rome", -2)],
        {"1": ("Rome", -9, -7), "2": ("Rome", -2, None)},
    ),
    "the same value with an earlier end": (
        [("Rome", -9), ("Rome", -2, 5)],
        {"1": ("Rome", -9, -2), "2": ("Rome", -2, 5)},
    ),
    "the same value with a later end": ([("Rome", -9, 5), ("Rome", -2, 9)], {"1": ("Rome", -9, 5)}),
    "an end before the beginning closes nothing": (
        [("Rome", -9), ("Oslo", -2, -3)],
        {"1": ("Rome", -9, None), "2": ("Oslo", -2, -3)},
    ),
}


@pytest.mark.parametrize(("stated", "expected"), STATED.values(), ids=STATED)
def test_what_is_stated_finds_its_place(
    store: Store, stated: list[Stated], expected: dict[str, Any]
) -> None:
    for value, begin, *end in stated:
        times = {"valid_from": day(begin)} | ({"valid_to": day(end[0])} if end else {})
        store.state(value, **times)
    assert lines(store) == expected


def test_versions_name_what_they_supersede_and_say_where_they_were_heard(store: Store) -> None:
    store.fact("Rome", valid_from=day(-9), source="a letter", source_episode_id="e1")
    store.fact("Oslo", valid_from=day(-2), confidence=0.9)
    assert [store.row(i).supersedes for i in "12"] == [None, "1"]
    assert store.row("1").text == "subject: Ann\nattribute: city\nvalue: Rome"
    store.now = NOW + DAY
    effect = store.state(" Oslo ", confidence=0.5, tags=("x",))
    assert (effect.affected, effect.created) == (("2",), ())
    assert effect.warnings[1:] == ("memory 2 holds this value already: it gains a source",)
    first, second = store.row("2").sources
    assert first == {
        "episode": None, "source": None, "confidence": 0.9, "at": "2026-03-02T09:00:00Z",
    }  # fmt: skip
    assert second == {**first, "confidence": 0.5, "at": "2026-03-03T09:00:00Z"}
    assert store.row("2").tags == ()
    assert store.row("1").sources[0]["episode"] == "e1"
    assert store.text("the next id") == "3"


def test_past_versions_answer_as_of(store: Store) -> None:
    store.fact("Rome", valid_from=day(-9))
    store.fact("Oslo", valid_from=day(-2))
    assert store.ids(ABOUT) == ["2"]
    assert store.ids(ABOUT, as_of=day(-2)) == ["2"]
    assert store.ids(ABOUT, as_of=NOW - 2 * DAY - timedelta(seconds=1)) == ["1"]
    assert store.ids(ABOUT, as_of=day(-10)) == []
    assert store.ids(ByIds(("1",))) == ["1"]


# --- the registry --------------------------------------------------------------------------


def test_many_values_hold_at_once_each_on_a_line_of_its_own(store: Store) -> None:
    store.register(**MANY)
    for value, begin in (("Tea", -9), ("coffee", -5), ("TEA", -2)):
        store.state(value, "Likes", valid_from=day(begin))
    assert lines(store) == {"1": ("tea", -9, None), "2": ("coffee", -5, None)}
    assert store.row("1").attribute == "likes"
    assert len(store.row("1").sources) == 2
    # The old value ends although others may hold beside it; the new one was there already.
    effect = store.edit("1", value="Coffee")
    assert (effect.affected, effect.created) == (("2",), ())
    assert lines(store) == {"1": ("tea", -9, 0), "2": ("coffee", -5, None)}
    assert store.edit("2", value="water").created == ("3",)
    assert lines(store)["3"] == ("water", 0, None)


def test_values_are_typed_and_normalised(store: Store) -> None:
    store.register(attributes={"age": {"value_type": "number"}, "e-mail": {"normaliser": "email"}})
    with pytest.raises(ExecutionError, match="age") as refused:
        store.state("old", "age")
    assert refused.value.code == "value-type"
    effect = store.state(" Ann@Example.COM ", "E_Mail", valid_from=day(-1))
    assert effect.warnings == ()
    row = store.row("1")
    assert (row.attribute, row.value) == ("e-mail", "ann@example.com")
    assert row.schema_version == store.adapter.registry().version
    assert row.payload["structured"]["value"] == " Ann@Example.COM "
    assert store.edit("1", value="ANN@example.com").affected == ("1",)
    store.fact("7", "age", valid_from=day(-1))
    assert store.row("2").value == 7
    with pytest.raises(ExecutionError) as refused:
        store.edit("2", value="eight")
    assert refused.value.code == "value-type"


def test_an_undeclared_attribute_and_an_unknown_class_are_told(store: Store) -> None:
    effect = store.state("Rome", retention_policy="long")
    assert effect.warnings == (
        "the registry does not declare the attribute 'city': it holds one value at a time",
        "the registry has no retention class 'long': nothing expires by it",
    )
    assert (store.row("1").retention_policy, store.row("1").expire_at) == ("long", None)


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"type": "note"}, (7, "demote")),
        ({"type": "note", "retention_policy": "Brief"}, (1, "hard_delete")),
        ({"type": "note", "retention_policy": "unknown"}, (7, "demote")),
        ({"retention_policy": "ever"}, (None, None)),
        ({"type": "note", "expire_at": NOW + 2 * DAY}, (2, "soft_delete")),
        ({}, (None, None)),
    ],
)
def test_a_retention_class_ends_what_has_no_end(
    store: Store, attributes: dict[str, Any], expected: tuple[int | None, str | None]
) -> None:
    store.register(
        retention={
            "brief": {"keep": "P1D", "on_expire": "hard_delete"},
            "week": {"keep": "P7D", "on_expire": "demote"},
            "ever": {"keep": None, "on_expire": "soft_delete"},
        },
        types={"note": {"retention": "week"}},
        attributes={"mood": {"retention": "brief"}},
    )
    id_ = store.text("a", **attributes)
    days, action = expected
    assert (store.row(id_).expire_at, store.row(id_).expire_action) == (day(days), action)
    fact = store.row(store.fact("good", "mood"))
    assert (fact.expire_at, fact.expire_action) == (day(1), "hard_delete")


def test_a_registry_comes_after_the_one_before(store: Store) -> None:
    version = store.adapter.registry().version
    with pytest.raises(ConfigurationError):
        store.adapter.set_registry(Registry(version=version), store.env())
    with pytest.raises(RuntimeError), store.adapter.transaction():
        store.register(**MANY)
        raise RuntimeError
    assert store.adapter.registry().version == version
    assert PlainAdapter().registry() == shipped_registry()


# --- waiting -------------------------------------------------------------------------------


def test_a_fact_below_the_floor_waits_until_its_confidence_is_raised(store: Store) -> None:
    store.fact("Rome", valid_from=day(-9))
    effect = store.state("Oslo", valid_from=day(-2), confidence=0.2)
    assert (effect.affected, effect.created) == (("2",), ("2",))
    assert effect.warnings[1:] == ("memory 2 waits: its confidence 0.2 is below 0.3",)
    assert lines(store) == {"1": ("Rome", -9, None)}
    assert store.ids(ABOUT, deleted=True, archived=True, as_of=NOW) == ["1"]
    assert store.ids(BySearch(query="Oslo")) == []
    assert store.ids(ALL) == ["1"]
    assert store.ids(ByIds(("2",))) == ["2"]
    with pytest.raises(ExecutionError) as refused:
        store.edit("2", value="Bern")
    assert refused.value.code == "pending-fact"
    store.edit("2", confidence=0.25)
    assert store.row("2").pending
    assert store.edit("2", confidence=0.3).affected == ("2",)
    assert lines(store) == {"1": ("Rome", -9, -2), "2": ("Oslo", -2, None)}
    assert (store.row("2").supersedes, store.row("2").pending) == ("1", False)


def test_a_waiting_fact_that_holds_by_now_becomes_a_source(store: Store) -> None:
    store.fact("Rome", confidence=0.1)
    store.fact("Rome")
    effect = store.edit("1", confidence=0.8)
    assert effect.affected == ("2",)
    assert effect.warnings == ("memory 2 holds this value already: it gains a source",)
    assert store.row("1").deleted
    assert [source["confidence"] for source in store.row("2").sources] == [None, 0.8]


def test_a_new_value_that_is_unsure_waits_beside_the_old_one(store: Store) -> None:
    store.fact("Rome", valid_from=day(-9))
    effect = store.edit("1", value="Oslo", confidence=0.1)
    assert effect.created == ("2",)
    assert effect.warnings == ("memory 2 waits: its confidence 0.1 is below 0.3",)
    assert lines(store) == {"1": ("Rome", -9, None)}
    store.edit("2", confidence=1.0)
    assert lines(store) == {"1": ("Rome", -9, 0), "2": ("Oslo", 0, None)}


# --- updates -------------------------------------------------------------------------------


def test_a_facts_new_value_is_a_new_version(store: Store) -> None:
    store.fact("Rome", valid_from=day(-1), source="a letter")
    effect = store.edit("1", value=["Oslo"], tags=("home",))
    assert (effect.affected, effect.created) == (("2",), ("2",))
    new = store.row("2")
    assert (new.value, new.tags, new.supersedes, new.valid_from) == (["Oslo"], ("home",), "1", NOW)
    assert new.text == 'subject: Ann\nattribute: city\nvalue: ["Oslo"]'
    assert len(new.sources) == 1
    assert (store.row("1").valid_to, store.row("1").tags, store.row("1").version) == (NOW, (), 2)
    store.text("no fact")
    for beginning in ("Bern", "Graz"):
        store.fact(beginning, valid_from=day(5))
    # The first of two that begin together holds never, although it was to begin only later.
    for id_, code in (("3", "not-a-fact"), ("1", "superseded-fact"), ("4", "superseded-fact")):
        with pytest.raises(ExecutionError) as refused:
            store.edit(id_, value=1)
        assert refused.value.code == code


UPDATES: dict[str, tuple[list[Stated], str, dict[str, Any], dict[str, Any]]] = {
    "the same value": (
        [("Rome", -9)], "1", {"value": "Rome"}, {"1": ("Rome", -9, None)},
    ),
    "the same value with an end": (
        [("Rome", -9)], "1", {"value": "Rome", "valid_to": 5},
        {"1": ("Rome", -9, 0), "2": ("Rome", 0, 5)},
    ),
    "a value from an instant before the version": (
        [("Rome", -9), ("Oslo", -2)], "2", {"value": "Bern", "valid_from": -5},
        {"1": ("Rome", -9, -5), "3": ("Bern", -5, None)},
    ),
    "a value before the next version": (
        [("Rome", -9), ("Oslo", 5)], "1", {"value": "Bern"},
        {"1": ("Rome", -9, 0), "2": ("Oslo", 5, None), "3": ("Bern", 0, 5)},
    ),
    "a value and another subject": (
        [("Rome", -9)], "1", {"value": "Oslo", "subject": "Bob"},
        {"1": ("Rome", -9, 0), "2": ("Oslo", 0, None)},
    ),
    "a retraction": (
        [("Rome", -9)], "1", {"valid_to": -1}, {"1": ("Rome", -9, -1)},
    ),
    "an earlier beginning, up to the version before": (
        [("Rome", -9, -5), ("Oslo", -2)], "2", {"valid_from": -5},
        {"1": ("Rome", -9, -5), "2": ("Oslo", -5, None)},
    ),
}  # fmt: skip


def _edits(given: dict[str, Any]) -> dict[str, Any]:
    return {key: day(v) if key.startswith("valid") else v for key, v in given.items()}


@pytest.mark.parametrize(("stated", "id_", "edits", "expected"), UPDATES.values(), ids=UPDATES)
def test_an_update_of_a_fact(
    store: Store, stated: list[Stated], id_: str, edits: dict[str, Any], expected: dict[str, Any]
) -> None:
    for value, begin, *end in stated:
        store.state(value, valid_from=day(begin), **({"valid_to": day(end[0])} if end else {}))
    store.edit(id_, **_edits(edits))
    assert lines(store) == expected


def _extended(store: Store) -> Effect:
    return store.edit("1", valid_to=day(0))


def _moved(store: Store) -> Effect:
    return store.edit("2", valid_from=day(-6))


def _renamed(store: Store) -> Effect:
    structured = {"subject": "Bob", "attribute": "city", "value": "Bern"}
    store.encode(Content("structured", structured))
    return store.edit("3", subject="Ann")


def _returned(store: Store) -> Effect:
    store.run(Delete(target=ALL), "2")
    store.fact("Bern", valid_from=day(-1))
    return store.edit("2", deleted=False)


@pytest.mark.parametrize("overlaps", [_extended, _moved, _renamed, _returned])
def test_nothing_may_come_to_overlap(store: Store, overlaps: Callable[[Store], Effect]) -> None:
    store.fact("Rome", valid_from=day(-9))
    store.fact("Oslo", valid_from=day(-5))
    with pytest.raises(ExecutionError) as refused:
        overlaps(store)
    assert refused.value.code == "fact-overlap"


def test_a_deleted_fact_leaves_its_time_empty_and_may_come_back_to_it(store: Store) -> None:
    store.fact("Rome", valid_from=day(-9))
    store.fact("Oslo", valid_from=day(-5))
    store.run(Delete(target=ALL), "2")
    assert store.ids(ABOUT) == []
    assert lines(store) == {"1": ("Rome", -9, -5)}
    store.fact("Bern", valid_from=day(-7))
    assert lines(store)["3"] == ("Bern", -7, None)
    store.edit("3", valid_to=day(-5))
    store.edit("2", deleted=False)
    assert store.ids(ABOUT) == ["2"]
