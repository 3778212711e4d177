"""Strategies for programs that meet: few ids, few words, few instants, so that steps collide.

What ``programs`` draws is legal at the instant of its glimpse: it is what the parser makes of some
document that the validator passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, cast, get_args

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tests.strategies import OP_NAMES
from text2mem.ir import ops as typed
from text2mem.ir.duration import Duration
from text2mem.ir.registry import Registry
from text2mem.ir.surface_target import ReadField, ReadLevel, Unit, WriteLevel

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


# --- ids and targets -----------------------------------------------------------------------


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
    return st.tuples(conditions, st.booleans(), st.none() | LIMITS).map(
        lambda drawn: typed.ByFilter(
            **spread(weights="weight_gte weight_lte", expiry="expire_after expire_before")(
                drawn[0]
            ),
            match="any" if drawn[1] and "has_tags" in drawn[0] else "all",
            limit=drawn[2],
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


# --- contents and fields -------------------------------------------------------------------


@cached
def attributes(now: datetime, *, least: int = 0) -> SearchStrategy[dict[str, Any]]:
    """What Encode gives and Update sets, at most two of them."""
    return few_of(
        least=least, type=TYPES, tags=several(TAGS), facets=FACETS, time=instants(now),
        subject=SUBJECTS,
        location=FIELDS, topic=FIELDS, source=FIELDS,
        read_perm_level=st.sampled_from(get_args(ReadLevel)),
        write_perm_level=st.sampled_from(get_args(WriteLevel)),
        read_whitelist=several(NAMES), read_blacklist=several(NAMES),
        write_whitelist=several(NAMES), write_blacklist=several(NAMES),
        validity=ordered_pair(instants(now)), confidence=CONFIDENCES,
        source_episode_id=st.just("e1"), retention_policy=POLICIES,
    ).map(spread(validity="valid_from valid_to"))  # fmt: skip


@cached
def timely(now: datetime) -> SearchStrategy[dict[str, Any]]:
    """What decides where a fact stands on its time line."""
    return some_of(validity=ordered_pair(instants(now)), confidence=CONFIDENCES).map(
        spread(validity="valid_from valid_to")
    )


STATEMENTS = st.fixed_dictionaries({"subject": SUBJECTS, "attribute": ATTRIBUTES, "value": VALUES})
ODD_STRUCTURES = st.sampled_from((
    {"subject": "", "attribute": "city", "value": 1}, {"subject": "Ann", "attribute": "city"},
    {"subject": "Ann", "attribute": 3, "value": 1}, {"milk": [1, "tea"]},
))  # fmt: skip
URLS = st.sampled_from(("https://example.org/rent", "https://example.org/gone"))
EXTRAS = st.just({}) | st.just({"note": 1})
CONTENTS = st.one_of(
    st.builds(typed.Content, st.just("text"), TEXTS, EXTRAS),
    st.builds(typed.Content, st.just("text"), TEXTS),
    st.builds(typed.Content, st.just("url"), URLS, EXTRAS),
    st.builds(typed.Content, st.just("structured"), ODD_STRUCTURES | STATEMENTS, EXTRAS),
)


@cached
def facts(now: datetime) -> SearchStrategy[typed.Op]:
    """Encodes of facts, most of them in time."""
    return st.builds(
        lambda content, times, fields: typed.Encode(
            content=typed.Content("structured", content),
            attributes=cast(typed.Attributes, {**fields, **times}),
        ),
        STATEMENTS,
        timely(now),
        st.just({}) | attributes(now),
    ).filter(_in_order)


@cached
def encodes(glimpse: Glimpse, before: int) -> SearchStrategy[typed.Op]:
    """Encodes of anything."""
    now = glimpse.now
    whole = st.builds(
        typed.Encode, content=CONTENTS, attributes=attributes(now),
        expire_at=rarely(future(now)),
        skip_embedding=st.sampled_from((False, False, True)),
        lineage_parents=weighted((4, st.just(())), (1, several(refs(glimpse, before), least=1))),
    )  # fmt: skip
    return weighted((2, whole), (1, facts(now)))


def _in_order(op: typed.Encode) -> bool:
    first, last = op.attributes.get("valid_from"), op.attributes.get("valid_to")
    return first is None or last is None or first <= last


# --- writes --------------------------------------------------------------------------------


@st.composite
def edits(draw: st.DrawFn, now: datetime) -> typed.Edits:
    """What an Update sets: something of a fact, of a content, of an end, or any field."""
    fields: dict[str, Any] = draw(
        st.one_of(
            st.fixed_dictionaries({"value": VALUES}),
            st.fixed_dictionaries({"confidence": CONFIDENCES}),
            instants(now).map(lambda end: {"valid_to": end}),
            TEXTS.map(lambda text: {"text": text}),
            URLS.map(lambda url: {"url": url}),
            (STATEMENTS | ODD_STRUCTURES).map(lambda given: {"structured": given}),
            st.sampled_from(({"deleted": False}, {"archived": False}, {"skip_embedding": False},
                             {"skip_embedding": True}, {"expire_at": None}, {"remind": None})),
            DURATIONS.map(lambda length: {"ttl": length}),
            future(now).map(lambda end: {"expire_at": end}),
            reminders(now).map(lambda remind: {"remind": remind}),
            WEIGHTS.map(lambda weight: {"weight": weight}),
            attributes(now, least=1),
        )
    )  # fmt: skip
    if draw(st.booleans()):
        fields = {**fields, **draw(timely(now))}
    if draw(st.integers(0, 4)) == 0:
        fields = {**draw(attributes(now)), **fields}
    first, last = fields.get("valid_from"), fields.get("valid_to")
    if first is not None and last is not None and first > last:
        fields["valid_from"], fields["valid_to"] = last, first
    return cast(typed.Edits, fields)


@cached
def reminders(now: datetime) -> SearchStrategy[typed.Remind]:
    """A rule with an occurrence to come."""
    late = now.replace(microsecond=0) + timedelta(days=9)
    return st.builds(typed.Remind, RULES, st.sampled_from((None, None, late)))


@cached
def updates(glimpse: Glimpse, before: int) -> SearchStrategy[typed.Op]:
    return st.builds(typed.Update, target=targets(glimpse, before), edits=edits(glimpse.now))


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
    return st.tuples(targets(glimpse, before), ways).map(
        lambda drawn: typed.Demote(target=drawn[0], **drawn[1])
    )


@cached
def merges(glimpse: Glimpse, before: int) -> SearchStrategy[typed.Op]:
    return st.builds(
        typed.Merge, target=targets(glimpse, before), primary_id=refs(glimpse, before),
        soft_delete_children=st.booleans(),
    ).filter(lambda op: op.target != typed.ByIds((op.primary_id,)))  # fmt: skip


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
