"""Few ids, few words, few instants, so that the steps of programs meet; and how they are combined.

Instants are in whole seconds, as the parser leaves them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, cast

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from text2mem.ir.ops import Exchange
from text2mem.ir.times.duration import Duration

cached = lru_cache(maxsize=256)
BEGIN = datetime(2026, 3, 4, 10, 30, tzinfo=UTC)
STEP = timedelta(hours=6)
ACTORS = (None, None, None, "ana", "bo")


@dataclass(frozen=True)
class Glimpse:
    """What a program may speak of: its instant, the memories there are, an id that is none's."""

    now: datetime = BEGIN
    ids: tuple[str, ...] = ()
    unknown: str = "1"


# --- values --------------------------------------------------------------------------------

TEXTS = st.sampled_from((
    "Call Ana at noon. Buy milk!", "milk and tea", "Tea; milk; rent", "下周五交房租。买茶",
    "the rent", "  ", "a\nb", "x" * 30,
))  # fmt: skip
EXCHANGES = st.builds(
    Exchange, old=st.sampled_from(("milk", "tea", "the", "茶", "e", "1")),
    new=st.sampled_from(("", "milk", "oat milk", "水")),
)  # fmt: skip
QUERIES = st.sampled_from(("milk", "milk tea rent", "茶", "房租", "the", "Ann Rome", "?", "xyz"))
TAGS = st.sampled_from(("home", "q3", "茶"))
NAMES = st.sampled_from(("ana", "bo"))
SUBJECTS = st.sampled_from(("Ann", "Ann", "Bo"))
FIELDS = st.sampled_from(("milk", "Rome"))
ATTRIBUTES = st.sampled_from((
    "city", "city", "city", "likes", "likes", "shoe size", "Shoe Size", "home_deadline",
))  # fmt: skip
VALUES = st.sampled_from((
    "Rome", "Rome", " rome ", "Oslo", "Oslo", "Bern", 1, 1.0, True, None, ["Rome"],
    {"a": 1, "b": 2},
))  # fmt: skip
TYPES = st.sampled_from(("task", "scratch", "Profile", "memo"))
WEIGHTS = st.sampled_from((0.0, 0.2, 0.5, 0.8, 1.0))
DELTAS = st.sampled_from((0.1, 0.3, 1.0))
CONFIDENCES = st.sampled_from((0.0, 0.1, 0.3, 0.9))
LIMITS = st.sampled_from((1, 2, 3, 50))
FACET_KEYS = st.sampled_from(("k", "茶", "a.b"))
FACET_VALUES = st.sampled_from((1, 1.0, True, None, "x", [1], {"b": 1, "a": 2}, {}))
FACETS = st.dictionaries(FACET_KEYS, FACET_VALUES, max_size=2)
SOME_FACETS = st.dictionaries(FACET_KEYS, FACET_VALUES, min_size=1, max_size=2)
POLICIES = st.sampled_from(("short", "Permanent", "unheard-of"))
REASONS = st.none() | st.just("because")
DURATIONS = st.sampled_from((
    Duration(0, 1), Duration(0, 6 * 3600), Duration(0, 86_400), Duration(1, 0), Duration(1, 3600),
))  # fmt: skip
RULES = st.sampled_from((
    "FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO", "FREQ=DAILY;COUNT=1", "FREQ=HOURLY;INTERVAL=5",
    "FREQ=DAILY;COUNT=2;BYHOUR=9;BYMINUTE=0",
))  # fmt: skip


@cached
def instants(now: datetime) -> SearchStrategy[datetime]:
    """Around the beginning of everything, and around now; whole seconds."""
    whole = now.replace(microsecond=0)
    second = timedelta(seconds=1)
    return st.sampled_from((
        *(BEGIN + STEP * number for number in range(-4, 5)),
        whole - STEP, whole - second, whole, whole, whole + second, whole + STEP,
    ))  # fmt: skip


@cached
def future(now: datetime) -> SearchStrategy[datetime]:
    """Soon after now; whole seconds."""
    whole = now.replace(microsecond=0) + timedelta(seconds=1)
    return st.sampled_from([whole + STEP * number for number in (0, 1, 2, 5, 200)])


def weighted(*choices: tuple[int, SearchStrategy[Any]]) -> SearchStrategy[Any]:
    """One of the strategies, each as often as its number says; ``one_of`` drops repetitions."""
    pool = [strategy for times, strategy in choices for _ in range(times)]
    return st.sampled_from(pool).flatmap(lambda chosen: chosen)


def rarely(values: SearchStrategy[Any]) -> SearchStrategy[Any]:
    """None three times of four."""
    return weighted((3, st.none()), (1, values))


def some_of(**fields: SearchStrategy[Any]) -> SearchStrategy[dict[str, Any]]:
    """Each of the fields, or not."""
    return st.fixed_dictionaries({}, optional=fields)


def few_of(
    *, least: int = 0, most: int = 2, **fields: SearchStrategy[Any]
) -> SearchStrategy[dict[str, Any]]:
    """A few of the fields, so that what is drawn stays readable."""
    names = st.lists(st.sampled_from(sorted(fields)), min_size=least, max_size=most, unique=True)
    return names.flatmap(
        lambda names: st.fixed_dictionaries({name: fields[name] for name in sorted(names)})
    )


def several(items: SearchStrategy[Any], *, least: int = 0) -> SearchStrategy[tuple[Any, ...]]:
    """A few different ones."""
    return st.lists(items, min_size=least, max_size=3, unique_by=repr).map(tuple)


def ordered_pair(items: SearchStrategy[Any]) -> SearchStrategy[tuple[Any, Any]]:
    """Two values in order, or one of them None."""
    return st.one_of(
        st.tuples(items, items).map(lambda pair: cast(tuple[Any, Any], tuple(sorted(pair)))),
        items.map(lambda first: (first, None)),
        items.map(lambda last: (None, last)),
    )


def spread(**pairs: str) -> Any:
    """A map of dicts that puts the two values of a key under two keys, leaving None out."""

    def mapped(fields: dict[str, Any]) -> dict[str, Any]:
        out = {key: value for key, value in fields.items() if key not in pairs}
        for key, names in pairs.items():
            for name, value in zip(names.split(), fields.get(key, ()), strict=False):
                if value is not None:
                    out[name] = value
        return out

    return mapped
