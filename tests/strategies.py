"""Hypothesis strategies: typed ops of all twelve kinds, programs of them, and JSON documents.

What ``ops`` and ``programs`` draw is what the parser makes of some legal document at ``NOW`` in
UTC: normalised, horizons in the future, references backwards.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, cast, get_args

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from text2mem.ir import ops as typed
from text2mem.ir.ops import ReadLevel, Unit, WriteLevel
from text2mem.ir.surface_target import OpName, ReadField
from text2mem.ir.times.duration import Duration

NOW = datetime(2026, 3, 4, 10, 30, tzinfo=UTC)

OP_NAMES: tuple[str, ...] = get_args(OpName)
_RULES = (
    "FREQ=DAILY",
    "FREQ=WEEKLY;BYDAY=MO",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,TH",
    "FREQ=MONTHLY;BYMONTHDAY=1;BYHOUR=9;BYMINUTE=0",
    "FREQ=DAILY;COUNT=1;BYHOUR=9;BYMINUTE=0",
)
_CONTENT = ("text", "url", "structured")


# --- values --------------------------------------------------------------------------------

TEXTS = st.one_of(
    st.sampled_from(("Call Ana at noon.", "下周五交房租。", "a\nb", "  ")),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20),
)
TAGS = st.one_of(
    st.sampled_from(("task", "subtask", "家务", "Q3/plan")),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
    .map(str.strip)
    .filter(bool),
)
WEIGHTS = st.floats(0, 1)
LIMITS = st.integers(1, 1_000)
INSTANTS = st.datetimes(datetime(1970, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)).map(
    lambda instant: instant.replace(microsecond=0)
)
FUTURE = st.integers(1, 10**9).map(lambda seconds: NOW + timedelta(seconds=seconds))
DURATIONS = st.builds(Duration, st.integers(0, 600), st.integers(0, 10**8)).filter(
    lambda duration: duration.is_positive
)
_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**53), 2**53),
    st.floats(allow_nan=False, allow_infinity=False),
    TEXTS,
)
JSON_VALUES: SearchStrategy[Any] = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)
FACETS = st.dictionaries(TEXTS, JSON_VALUES, min_size=1, max_size=3)


def _distinct(
    items: SearchStrategy[Any], *, least: int = 0, most: int = 3
) -> SearchStrategy[tuple[Any, ...]]:
    return st.lists(items, min_size=least, max_size=most, unique=True).map(tuple)


def _some_of(**fields: SearchStrategy[Any]) -> SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=fields)


def _pair(items: SearchStrategy[Any]) -> SearchStrategy[tuple[Any, Any]]:
    """Two different values in order."""
    return st.lists(items, min_size=2, max_size=2, unique=True).map(
        lambda found: cast(tuple[Any, Any], tuple(sorted(found)))
    )


@cache
def refs(before: int) -> SearchStrategy[typed.Ref]:
    """An id, or a reference to one of the ``before`` earlier steps."""
    plain = st.integers(1, 50).map(str)
    return plain | st.integers(1, before).map(typed.StepRef) if before else plain


ABSOLUTE_RANGES = st.one_of(
    _pair(INSTANTS).map(lambda ends: typed.AbsoluteRange(*ends)),
    INSTANTS.map(lambda start: typed.AbsoluteRange(start=start)),
    INSTANTS.map(lambda end: typed.AbsoluteRange(end=end)),
)
RELATIVE_RANGES = st.builds(
    typed.RelativeRange,
    st.sampled_from(("last", "next")),
    st.integers(1, 500),
    st.sampled_from(get_args(Unit)),
)
RANGES: SearchStrategy[typed.Range] = ABSOLUTE_RANGES | RELATIVE_RANGES
REMINDERS = st.builds(
    typed.Remind,
    st.sampled_from(_RULES),
    st.none() | st.integers(60, 9_000).map(lambda days: NOW + timedelta(days=days)),
    st.none() | FUTURE,
) | st.builds(typed.Remind, at=FUTURE)
EXCHANGES = st.builds(typed.Exchange, old=TEXTS, new=st.just("") | TEXTS)


# --- targets -------------------------------------------------------------------------------


def _as_filter(drawn: tuple[dict[str, Any], bool, bool, int | None]) -> typed.ByFilter:
    fields, match_any, oldest, limit = drawn
    fields = dict(fields)
    if "weights" in fields:
        fields["weight_gte"], fields["weight_lte"] = fields.pop("weights")
    if "expiry" in fields:
        fields["expire_after"], fields["expire_before"] = fields.pop("expiry")
    if match_any and "has_tags" in fields:
        fields["match"] = "any"
    return typed.ByFilter(**fields, order="oldest" if oldest else "newest", limit=limit)


FILTERS: SearchStrategy[typed.ByFilter] = st.tuples(
    _some_of(
        has_tags=_distinct(TAGS, least=1),
        not_tags=_distinct(TAGS, least=1),
        type=TEXTS,
        subject=TEXTS,
        location=TEXTS,
        topic=TEXTS,
        attribute=TEXTS,
        facets=FACETS,
        time_range=RANGES,
        weights=st.one_of(
            _pair(WEIGHTS), WEIGHTS.map(lambda w: (w, None)), WEIGHTS.map(lambda w: (None, w))
        ),
        expiry=_pair(INSTANTS),
        include=_distinct(st.sampled_from(("archived", "deleted")), least=1),
    ).filter(bool),
    st.booleans(),
    st.booleans(),
    st.none() | LIMITS,
).map(_as_filter)


@cache
def searches(*, limited: bool) -> SearchStrategy[typed.BySearch]:
    """Searches; a write's are ``limited``."""
    rest = {
        "context": st.none() | TEXTS,
        "k": st.none() | LIMITS,
        "alpha": st.none() | WEIGHTS,
        "order_by": st.sampled_from(("relevance", "time", "weight")),
        "limit": LIMITS if limited else st.none() | LIMITS,
    }
    vectors = st.lists(st.floats(-1, 1), min_size=1, max_size=4).map(tuple)
    return st.builds(typed.BySearch, query=TEXTS, **rest) | st.builds(
        typed.BySearch, vector=vectors, **rest
    )


@cache
def targets(before: int = 0, *, write: bool = True) -> SearchStrategy[typed.Target]:
    """Any selector that an op after ``before`` steps may have."""
    by_ids = st.builds(typed.ByIds, _distinct(refs(before), least=1))
    return st.one_of(by_ids, FILTERS, searches(limited=write), st.just(typed.AllMemories()))


# --- attributes ----------------------------------------------------------------------------


def _with_validity(fields: dict[str, Any]) -> dict[str, Any]:
    fields = dict(fields)
    first, last = fields.pop("validity", (None, None))
    if first is not None:
        fields["valid_from"] = first
    if last is not None:
        fields["valid_to"] = last
    return fields


_NAMES = _distinct(TEXTS, most=2)
ATTRIBUTES: SearchStrategy[dict[str, Any]] = _some_of(
    type=TEXTS,
    tags=_distinct(TAGS),
    facets=st.dictionaries(TEXTS, JSON_VALUES, max_size=2),
    time=INSTANTS,
    subject=TEXTS,
    location=TEXTS,
    topic=TEXTS,
    source=TEXTS,
    read_perm_level=st.sampled_from(get_args(ReadLevel)),
    write_perm_level=st.sampled_from(get_args(WriteLevel)),
    read_whitelist=_NAMES,
    read_blacklist=_NAMES,
    write_whitelist=_NAMES,
    write_blacklist=_NAMES,
    validity=st.one_of(
        _pair(INSTANTS), INSTANTS.map(lambda t: (t, None)), INSTANTS.map(lambda t: (None, t))
    ),
    confidence=WEIGHTS,
    source_episode_id=TEXTS,
    retention_policy=TEXTS,
).map(_with_validity)

_URLS = st.from_regex(r"https://example\.org/[a-z0-9]{1,8}", fullmatch=True)
_FACTS = st.fixed_dictionaries({"subject": TEXTS, "attribute": TEXTS, "value": JSON_VALUES})
_EXTRA = st.dictionaries(TEXTS.filter(lambda key: key not in _CONTENT), JSON_VALUES, max_size=2)
CONTENTS = st.one_of(
    st.builds(typed.Content, st.just("text"), TEXTS, _EXTRA),
    st.builds(typed.Content, st.just("url"), _URLS, _EXTRA),
    st.builds(typed.Content, st.just("structured"), _FACTS | FACETS, _EXTRA),
)


@st.composite
def edits(draw: st.DrawFn) -> typed.Edits:
    """What an Update may set; at least one field."""
    fields = draw(ATTRIBUTES)
    fields |= draw(
        st.one_of(
            st.just({}),
            st.fixed_dictionaries({"text": TEXTS}),
            st.fixed_dictionaries({"url": _URLS}),
            st.fixed_dictionaries({"structured": FACETS}),
        )
    )
    fields |= draw(
        st.one_of(
            st.just({}),
            st.fixed_dictionaries({"ttl": DURATIONS}),
            st.fixed_dictionaries({"expire_at": st.none() | FUTURE}),
        )
    )
    fields |= draw(
        _some_of(
            value=JSON_VALUES,
            remind=st.none() | REMINDERS,
            deleted=st.just(False),
            archived=st.just(False),
            skip_embedding=st.booleans(),
        )
    )
    if not fields or draw(st.booleans()):
        fields["weight"] = draw(WEIGHTS)
    return cast(typed.Edits, fields)


# --- ops -----------------------------------------------------------------------------------

_REASONS = st.none() | TEXTS
_DELTAS = st.floats(0, 1, exclude_min=True)


@cache
def encodes(before: int = 0) -> SearchStrategy[typed.Encode]:
    """Encode."""
    return st.builds(
        typed.Encode,
        content=CONTENTS,
        attributes=ATTRIBUTES.map(lambda fields: cast(typed.Attributes, fields)),
        expire_at=st.none() | FUTURE,
        remind=st.none() | REMINDERS,
        skip_embedding=st.booleans(),
        lineage_parents=st.just(()) | _distinct(refs(before), least=1),
    )


@cache
def updates(before: int = 0) -> SearchStrategy[typed.Update]:
    """Update: fields, or words."""
    target = targets(before)
    return st.builds(typed.Update, target=target, edits=edits()) | st.builds(
        typed.Update, target=target, replace=EXCHANGES
    )


@cache
def labels(before: int = 0) -> SearchStrategy[typed.Label]:
    """Label; an empty list only with mode replace."""
    return st.builds(
        typed.Label,
        target=targets(before),
        tags=st.none() | _distinct(TAGS),
        facets=st.none() | st.dictionaries(TEXTS, JSON_VALUES, max_size=2),
        mode=st.sampled_from(("add", "replace", "remove")),
    ).filter(
        lambda op: (
            bool(op.tags or op.facets)
            or (op.mode == "replace" and not (op.tags is None and op.facets is None))
        )
    )


@cache
def promotes(before: int = 0) -> SearchStrategy[typed.Promote]:
    """Promote."""
    ways: SearchStrategy[dict[str, Any]] = st.one_of(
        st.fixed_dictionaries({"weight": WEIGHTS}, optional={"remind": REMINDERS}),
        st.fixed_dictionaries({"weight_delta": _DELTAS}, optional={"remind": REMINDERS}),
        st.fixed_dictionaries({"remind": REMINDERS}),
    )
    return st.tuples(targets(before), ways, _REASONS).map(
        lambda drawn: typed.Promote(target=drawn[0], reason=drawn[2], **drawn[1])
    )


@cache
def demotes(before: int = 0) -> SearchStrategy[typed.Demote]:
    """Demote."""
    ways: SearchStrategy[dict[str, Any]] = st.one_of(
        st.just({"archive": True}),
        st.fixed_dictionaries({"weight": WEIGHTS}),
        st.fixed_dictionaries({"weight_delta": _DELTAS.map(lambda delta: -delta)}),
    )
    return st.tuples(targets(before), ways, st.none() | FUTURE, _REASONS).map(
        lambda drawn: typed.Demote(target=drawn[0], until=drawn[2], reason=drawn[3], **drawn[1])
    )


@cache
def merges(before: int = 0) -> SearchStrategy[typed.Merge]:
    """Merge, with another memory than the primary where the target lists ids."""
    return st.builds(
        typed.Merge,
        target=targets(before),
        primary_id=st.none() | refs(before),
        soft_delete_children=st.booleans(),
    ).filter(has_another)


def has_another(op: typed.Merge) -> bool:
    """Whether a Merge by ids names another memory than its primary."""
    if not isinstance(op.target, typed.ByIds):
        return True
    primary = op.target.ids[0] if op.primary_id is None else op.primary_id
    return op.target.ids != (primary,)


@cache
def splits(before: int = 0) -> SearchStrategy[typed.Split]:
    """Split, with the params of its strategy alone."""
    ways: SearchStrategy[dict[str, Any]] = st.one_of(
        st.fixed_dictionaries(
            {"strategy": st.just("by_sentences")}, optional={"max_sentences": LIMITS}
        ),
        _pair(st.integers(0, 2_000)).map(
            lambda sizes: {"strategy": "by_chunks", "overlap": sizes[0], "chunk_size": sizes[1]}
        ),
        st.fixed_dictionaries({"strategy": st.just("custom"), "instruction": TEXTS}),
    )
    return st.tuples(targets(before), ways, st.booleans(), st.booleans()).map(
        lambda drawn: typed.Split(
            target=drawn[0], inherit_all=drawn[2], keep_parent=drawn[3], **drawn[1]
        )
    )


@cache
def deletes(before: int = 0) -> SearchStrategy[typed.Delete]:
    """Delete."""
    return st.builds(
        typed.Delete,
        target=targets(before),
        soft=st.booleans(),
        older_than=st.none() | DURATIONS,
        time_range=st.none() | RANGES,
        cascade=st.booleans(),
        reason=_REASONS,
    )


@st.composite
def _policies(draw: st.DrawFn) -> typed.LockPolicy:
    names = draw(_distinct(st.sampled_from(OP_NAMES), most=4))
    border = draw(st.integers(0, len(names)))
    return typed.LockPolicy(
        allow=names[:border],
        deny=names[border:],
        reviewers=draw(_NAMES),
        expires=draw(st.none() | FUTURE),
    )


@cache
def locks(before: int = 0) -> SearchStrategy[typed.Lock]:
    """Lock; unlocking has no policy."""
    kept = st.builds(
        typed.Lock,
        target=targets(before),
        mode=st.sampled_from(("read_only", "append_only")),
        reason=_REASONS,
        policy=_policies(),
    )
    return kept | st.builds(
        typed.Lock, target=targets(before), mode=st.just("none"), reason=_REASONS
    )


@cache
def expires(before: int = 0) -> SearchStrategy[typed.Expire]:
    """Expire, with one horizon."""
    actions = st.sampled_from(get_args(typed.OnExpire))
    return st.builds(
        typed.Expire, target=targets(before), ttl=DURATIONS, on_expire=actions
    ) | st.builds(typed.Expire, target=targets(before), until=FUTURE, on_expire=actions)


def _read_options() -> dict[str, SearchStrategy[Any]]:
    return {
        "as_of": st.none() | INSTANTS,
        "known_at": st.none() | INSTANTS,
        "include_archived": st.booleans(),
        "include_deleted": st.booleans(),
    }


@cache
def retrieves(before: int = 0) -> SearchStrategy[typed.Retrieve]:
    """Retrieve."""
    return st.builds(
        typed.Retrieve,
        target=targets(before, write=False),
        include=_distinct(st.sampled_from(get_args(ReadField))),
        **_read_options(),
    )


@cache
def summarizes(before: int = 0) -> SearchStrategy[typed.Summarize]:
    """Summarize."""
    return st.builds(
        typed.Summarize,
        target=targets(before, write=False),
        focus=st.none() | TEXTS,
        max_tokens=st.integers(1, 32_768),
        lang=st.none() | TEXTS,
        **_read_options(),
    )


_KINDS = (
    encodes, updates, labels, promotes, demotes, merges,
    splits, deletes, locks, expires, retrieves, summarizes,
)  # fmt: skip


@cache
def ops(before: int = 0) -> SearchStrategy[typed.Op]:
    """A typed op of any kind, standing after ``before`` steps of its program."""
    return st.one_of([kind(before) for kind in _KINDS])


@st.composite
def programs(draw: st.DrawFn, *, most: int = 4) -> tuple[typed.Op, ...]:
    """A program of typed ops whose references point backwards."""
    return tuple(draw(ops(step)) for step in range(draw(st.integers(1, most))))


# --- documents -----------------------------------------------------------------------------

_WORDS = (
    *OP_NAMES, "ENC", "STO", "RET", "ST0", "$1", "$2", "1", "abc", "P1D", "-P1D", "now", "昨天",
    "2026-01-01", "2030-01-01", "FREQ=DAILY", "high", "all", "none", "last", "days", "custom",
    "by_chunks", " ", "",
)  # fmt: skip
_KEYS = (
    "stage", "op", "target", "args", "meta", "ops", "program", "ids", "by_ids", "by_tags",
    "by_query", "filter", "search", "all", "match", "limit", "k", "has_tags", "time_range", "start",
    "end", "relative", "amount", "unit", "intent", "query", "vector", "overrides", "alpha",
    "payload", "text", "url", "structured", "set", "value", "facets", "tags", "weight",
    "weight_delta", "priority", "remind", "rrule", "at", "until", "replace", "old",
    "new", "order", "ttl", "expire_at", "policy", "allow",
    "deny", "params", "strategy", "overlap", "chunk_size", "primary_id", "use_embedding",
    "skip_embedding", "lineage_parents", "mode", "reason", "actor", "a/b", "m~n",
)  # fmt: skip
_DOCUMENT_LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.sampled_from(_WORDS),
    st.text(max_size=8),
)
DOCUMENTS: SearchStrategy[Any] = st.recursive(
    _DOCUMENT_LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(_KEYS) | st.text(max_size=4), inner, max_size=5)
    ),
    max_leaves=25,
)
"""Anything that a JSON reader returns, made mostly of words that mean something here."""


def _containers(node: Any) -> Iterator[Any]:
    if isinstance(node, dict | list) and node:
        yield node
        for child in node.values() if isinstance(node, dict) else node:
            yield from _containers(child)


@st.composite
def mutations(draw: st.DrawFn, documents: Sequence[Any]) -> Any:
    """One of the documents with up to three keys or values dropped, duplicated or replaced."""
    holder = [copy.deepcopy(draw(st.sampled_from(documents)))]
    for _ in range(draw(st.integers(1, 3))):
        node = draw(st.sampled_from(list(_containers(holder))))
        key = draw(st.sampled_from(sorted(node) if isinstance(node, dict) else range(len(node))))
        how = draw(st.sampled_from(("drop", "duplicate", "rename", "replace", "replace")))
        if how == "replace" or node is holder:
            node[key] = draw(DOCUMENTS)
        elif how == "drop":
            del node[key]
        elif isinstance(node, list):
            node.insert(key, copy.deepcopy(node[key]))
        else:
            value = node[key] if how == "duplicate" else node.pop(key)
            node[draw(st.sampled_from(_KEYS) | st.text(max_size=4))] = copy.deepcopy(value)
    return holder[0]
