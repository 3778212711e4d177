"""Strategies for programs that meet: few ids, few words, few instants, so that steps collide.

What ``programs`` draws is legal at the instant of its glimpse: it is what the parser makes of some
document that the validator passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, get_args

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tests.properties.contents import edits, encodes, facts, reminders
from tests.properties.selecting import ranges, refs, targets
from tests.properties.vocabulary import (
    DELTAS,
    DURATIONS,
    EXCHANGES,
    NAMES,
    QUERIES,
    REASONS,
    SOME_FACETS,
    TAGS,
    WEIGHTS,
    Glimpse,
    cached,
    future,
    instants,
    rarely,
    several,
    weighted,
)
from tests.strategies import OP_NAMES, has_another
from text2mem.ir import ops as typed
from text2mem.ir.registry import Registry
from text2mem.ir.surface_target import ReadField

# --- writes --------------------------------------------------------------------------------


@cached
def updates(glimpse: Glimpse, before: int) -> SearchStrategy[typed.Op]:
    target = targets(glimpse, before)
    return weighted(
        (3, st.builds(typed.Update, target=target, edits=edits(glimpse.now))),
        (1, st.builds(typed.Update, target=target, replace=EXCHANGES)),
    )


@cached
def labels(glimpse: Glimpse, before: int) -> SearchStrategy[typed.Op]:
    modes = st.sampled_from(("add", "replace", "remove"))
    ways = st.one_of(
        st.fixed_dictionaries({"tags": several(TAGS, least=1), "mode": modes}),
        st.fixed_dictionaries({"facets": SOME_FACETS, "mode": modes}),
        st.sampled_from(({"tags": (), "mode": "replace"}, {"facets": {}, "mode": "replace"})),
    )
    return st.tuples(targets(glimpse, before), ways).map(
        lambda drawn: typed.Label(target=drawn[0], **drawn[1])
    )


@cached
def promotes(glimpse: Glimpse, before: int) -> SearchStrategy[typed.Op]:
    ways = st.one_of(
        st.fixed_dictionaries({"weight": WEIGHTS}),
        st.fixed_dictionaries({"weight_delta": DELTAS}, optional={"reason": st.just("because")}),
        st.fixed_dictionaries({"remind": reminders(glimpse.now)}, optional={"weight": WEIGHTS}),
    )
    return st.tuples(targets(glimpse, before), ways).map(
        lambda drawn: typed.Promote(target=drawn[0], **drawn[1])
    )


@cached
def demotes(glimpse: Glimpse, before: int) -> SearchStrategy[typed.Op]:
    ways: SearchStrategy[dict[str, Any]] = st.one_of(
        st.just({"archive": True}),
        st.fixed_dictionaries({"weight": WEIGHTS}),
        DELTAS.map(lambda delta: {"weight_delta": -delta}),
    )
    return st.tuples(targets(glimpse, before), ways, st.none() | future(glimpse.now)).map(
        lambda drawn: typed.Demote(target=drawn[0], until=drawn[2], **drawn[1])
    )


@cached
def merges(glimpse: Glimpse, before: int) -> SearchStrategy[typed.Op]:
    return st.builds(
        typed.Merge, target=targets(glimpse, before),
        primary_id=st.none() | refs(glimpse, before),
        soft_delete_children=st.booleans(),
    ).filter(has_another)  # fmt: skip


@cached
def splits(glimpse: Glimpse, before: int) -> SearchStrategy[typed.Op]:
    ways: SearchStrategy[dict[str, Any]] = st.one_of(
        st.fixed_dictionaries(
            {"strategy": st.just("by_sentences")}, optional={"max_sentences": st.integers(1, 2)}
        ),
        st.sampled_from((
            {"strategy": "by_chunks", "chunk_size": 12, "overlap": 3},
            {"strategy": "by_chunks", "chunk_size": 9},
            {"strategy": "custom", "instruction": "at semicolons"},
        )),
    )  # fmt: skip
    return st.tuples(targets(glimpse, before), ways, st.booleans(), st.booleans()).map(
        lambda drawn: typed.Split(
            target=drawn[0], inherit_all=drawn[2], keep_parent=drawn[3], **drawn[1]
        )
    )


@cached
def deletes(glimpse: Glimpse, before: int) -> SearchStrategy[typed.Op]:
    return st.builds(
        typed.Delete, target=targets(glimpse, before), soft=st.sampled_from((True, True, False)),
        older_than=rarely(DURATIONS),
        time_range=rarely(ranges(glimpse.now)),
        cascade=st.booleans(), reason=REASONS,
    )  # fmt: skip


@st.composite
def policies(draw: st.DrawFn, now: datetime) -> typed.LockPolicy:
    names = draw(several(st.sampled_from(OP_NAMES)))
    border = draw(st.integers(0, len(names)))
    return typed.LockPolicy(
        allow=names[:border], deny=names[border:], reviewers=draw(several(NAMES)),
        expires=draw(st.none() | future(now)),
    )  # fmt: skip


@cached
def locks(glimpse: Glimpse, before: int) -> SearchStrategy[typed.Op]:
    target = targets(glimpse, before)
    kept = st.builds(
        typed.Lock, target=target, mode=st.sampled_from(("read_only", "append_only")),
        reason=REASONS, policy=st.just(typed.LockPolicy()) | policies(glimpse.now),
    )  # fmt: skip
    return kept | st.builds(typed.Lock, target=target, mode=st.just("none"), reason=REASONS)


@cached
def expires(glimpse: Glimpse, before: int) -> SearchStrategy[typed.Op]:
    target, actions = targets(glimpse, before), st.sampled_from(get_args(typed.OnExpire))
    return st.builds(typed.Expire, target=target, ttl=DURATIONS, on_expire=actions) | st.builds(
        typed.Expire, target=target, until=future(glimpse.now), on_expire=actions
    )


# --- reads ---------------------------------------------------------------------------------


def _reading(now: datetime) -> dict[str, SearchStrategy[Any]]:
    asked = rarely(instants(now))
    return {
        "as_of": asked,
        "known_at": asked,
        "include_archived": st.booleans(),
        "include_deleted": st.booleans(),
    }


@cached
def retrieves(glimpse: Glimpse, before: int) -> SearchStrategy[typed.Op]:
    names = ("text", "value", "valid_from", "valid_to", "score", "weight", "lineage_children")
    return st.builds(
        typed.Retrieve, target=targets(glimpse, before, write=False),
        include=st.just(()) | st.just(names) | several(st.sampled_from(get_args(ReadField))),
        **_reading(glimpse.now),
    )  # fmt: skip


@cached
def summarizes(glimpse: Glimpse, before: int) -> SearchStrategy[typed.Op]:
    return st.builds(
        typed.Summarize, target=targets(glimpse, before, write=False), focus=st.none() | QUERIES,
        **_reading(glimpse.now),
    )  # fmt: skip


# --- programs ------------------------------------------------------------------------------

_WRITES = (updates, labels, promotes, demotes, merges, splits, deletes, locks, expires)


def ops(glimpse: Glimpse, before: int = 0) -> SearchStrategy[typed.Op]:
    """An op of any kind; encodes and updates are as frequent as three others each."""
    return weighted(
        (3, encodes(glimpse, before)),
        (2, updates(glimpse, before)),
        (1, retrieves(glimpse, before)),
        (1, summarizes(glimpse, before)),
        *((1, kind(glimpse, before)) for kind in _WRITES),
    )


@st.composite
def programs(draw: st.DrawFn, glimpse: Glimpse, *, most: int = 3) -> tuple[typed.Op, ...]:
    """A program whose references point backwards; of a store that is empty yet, an Encode first."""
    count = draw(st.integers(1, most))
    first = ops(glimpse) if glimpse.ids else encodes(glimpse, 0)
    return (draw(first), *(draw(ops(glimpse, step)) for step in range(1, count)))


def writes(glimpse: Glimpse) -> SearchStrategy[typed.Op]:
    """One write to what is there."""
    return st.one_of([kind(glimpse, 0) for kind in _WRITES])


def deeds(glimpse: Glimpse) -> SearchStrategy[Sequence[typed.Op]]:
    """A program of any steps, or of one write, most often about facts."""
    one = st.one_of(writes(glimpse), facts(glimpse.now), updates(glimpse, 0))
    return weighted((2, programs(glimpse)), (1, one.map(lambda op: (op,))))


def beginnings(now: datetime) -> SearchStrategy[list[typed.Op]]:
    """Encodes to begin with."""
    return st.lists(encodes(Glimpse(now), 0), min_size=3, max_size=7)


def reads(glimpse: Glimpse) -> SearchStrategy[typed.Op]:
    """One read."""
    return retrieves(glimpse, 0) | summarizes(glimpse, 0)


# --- registries ----------------------------------------------------------------------------

_DOCUMENTS: Sequence[dict[str, Any]] = (
    {"attributes": {"city": {}, "likes": {"cardinality": "many", "normaliser": "lower"}}},
    {"attributes": {"city": {"cardinality": "many"}, "likes": {"normaliser": "lower"}},
     "confidence_floor": 0.05},
    {"attributes": {"city": {"value_type": "text", "retention": "short"},
                    "shoe_*": {"value_type": "number"}},
     "types": {"memo": {"retention": "short"}, "task": {"retention": "permanent"}},
     "retention": {"short": {"keep": "PT6H", "on_expire": "demote"},
                   "permanent": {"keep": None, "on_expire": "soft_delete"}}},
    {"attributes": {}, "confidence_floor": 0.95},
)  # fmt: skip


def registries(version: int) -> SearchStrategy[Registry]:
    """One of a few registries, of this version."""
    return st.sampled_from(_DOCUMENTS).map(
        lambda document: Registry.load({"version": version, **document})
    )
