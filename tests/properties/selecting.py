"""Strategies for what ops are about: ids, filters, searches, everything."""

from __future__ import annotations

from datetime import datetime
from typing import Any, get_args

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tests.properties.vocabulary import (
    ATTRIBUTES,
    FIELDS,
    LIMITS,
    QUERIES,
    SOME_FACETS,
    SUBJECTS,
    TAGS,
    TEXTS,
    TYPES,
    WEIGHTS,
    Glimpse,
    cached,
    few_of,
    instants,
    ordered_pair,
    several,
    spread,
    weighted,
)
from text2mem.ir import ops as typed
from text2mem.ir.ops import Unit


@cached
def refs(glimpse: Glimpse, before: int) -> SearchStrategy[typed.Ref]:
    """The id of a memory, or one of ``before`` earlier steps; rarely an id that is none's."""
    named = st.sampled_from(glimpse.ids or (glimpse.unknown,))
    steps = [(3, st.sampled_from([typed.StepRef(step) for step in range(1, before + 1)]))]
    return weighted((9, named), (1, st.just(glimpse.unknown)), *(steps if before else ()))


@cached
def ids(glimpse: Glimpse, before: int) -> SearchStrategy[typed.ByIds]:
    """One to three of them."""
    return several(refs(glimpse, before), least=1).map(typed.ByIds)


@cached
def ranges(now: datetime) -> SearchStrategy[typed.Range]:
    """Absolute and relative."""
    return st.one_of(
        ordered_pair(instants(now)).map(lambda ends: typed.AbsoluteRange(*ends)),
        st.builds(
            typed.RelativeRange, st.sampled_from(("last", "next")), st.integers(1, 3),
            st.sampled_from(get_args(Unit)),
        ),
    )  # fmt: skip


@cached
def filters(now: datetime) -> SearchStrategy[typed.ByFilter]:
    """One or two conditions."""
    known: dict[str, SearchStrategy[Any]] = {
        "has_tags": several(TAGS, least=1), "not_tags": several(TAGS, least=1), "type": TYPES,
        "subject": SUBJECTS, "location": FIELDS, "topic": FIELDS, "attribute": ATTRIBUTES,
        "facets": SOME_FACETS, "time_range": ranges(now), "weights": ordered_pair(WEIGHTS),
        "expiry": ordered_pair(instants(now)),
        "include": several(st.sampled_from(("archived", "deleted")), least=1),
    }  # fmt: skip
    conditions = few_of(least=1, most=1, **known) | few_of(least=1, **known)
    orders = st.sampled_from(("newest", "newest", "oldest"))
    return st.tuples(conditions, st.booleans(), st.none() | LIMITS, orders).map(
        lambda drawn: typed.ByFilter(
            **spread(weights="weight_gte weight_lte", expiry="expire_after expire_before")(
                drawn[0]
            ),
            match="any" if drawn[1] and "has_tags" in drawn[0] else "all",
            limit=drawn[2],
            order=drawn[3],
        )
    )


@cached
def searches(*, write: bool) -> SearchStrategy[typed.BySearch]:
    """By words or by a vector of the toy embedder's dimension, rarely of another one."""
    rest = {
        "context": st.none() | TEXTS,
        "k": st.none() | LIMITS,
        "alpha": st.none() | st.sampled_from((0.0, 0.25, 1.0)),
        "order_by": st.sampled_from(("relevance", "relevance", "time", "weight")),
        "limit": LIMITS if write else st.none() | LIMITS,
    }
    vectors = st.sampled_from(((1.0, 0.0, 0.0, 0.0), (3.0, 0.0, 4.0, 0.0), (0.0,) * 4, (1.0, 0.0)))
    by_words = st.builds(typed.BySearch, query=QUERIES, **rest)
    by_vector = st.builds(typed.BySearch, vector=vectors, **rest)
    return weighted((7, by_words), (1, by_vector))


def targets(
    glimpse: Glimpse, before: int = 0, *, write: bool = True
) -> SearchStrategy[typed.Target]:
    """Any selector, ids most often."""
    return weighted(
        (9 if write else 3, ids(glimpse, before)),
        (2, filters(glimpse.now)),
        (1, searches(write=write)),
        (1, st.just(typed.AllMemories())),
    )
