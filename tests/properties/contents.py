"""Strategies for what memories hold: Encodes of texts, urls and facts, and what Updates set."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, cast, get_args

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tests.properties.selecting import refs
from tests.properties.vocabulary import (
    ATTRIBUTES,
    CONFIDENCES,
    DURATIONS,
    FACETS,
    FIELDS,
    NAMES,
    POLICIES,
    RULES,
    SUBJECTS,
    TAGS,
    TEXTS,
    TYPES,
    VALUES,
    WEIGHTS,
    Glimpse,
    cached,
    few_of,
    future,
    instants,
    ordered_pair,
    rarely,
    several,
    some_of,
    spread,
    weighted,
)
from text2mem.ir import ops as typed
from text2mem.ir.ops import ReadLevel, WriteLevel


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
        remind=rarely(reminders(now)),
        skip_embedding=st.sampled_from((False, False, True)),
        lineage_parents=weighted((4, st.just(())), (1, several(refs(glimpse, before), least=1))),
    )  # fmt: skip
    return weighted((2, whole), (1, facts(now)))


def _in_order(op: typed.Encode) -> bool:
    first, last = op.attributes.get("valid_from"), op.attributes.get("valid_to")
    return first is None or last is None or first <= last


# --- edits ---------------------------------------------------------------------------------


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
    """A rule with an occurrence to come, or an instant."""
    late = now.replace(microsecond=0) + timedelta(days=9)
    by_rule = st.builds(typed.Remind, RULES, st.sampled_from((None, None, late)))
    return by_rule | st.builds(typed.Remind, at=future(now))
