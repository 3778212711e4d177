"""Selection: the memories of the store that are about a topic and meet stated conditions.

Nobody guesses here: where the store holds nothing of a topic, or nothing of it that meets the
conditions, an aim says so and names what comes closest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from text2mem.ir.ops import READS
from text2mem.ir.ports import StoreView
from text2mem.ir.record import Record
from text2mem.planner.conditions import Stated, as_filter, called_by, merged
from text2mem.planner.grounding import Alternative, Picture, Reading, mean
from text2mem.planner.grounding.coverage import coverage
from text2mem.planner.grounding.meaning import NEAR
from text2mem.planner.grounding.words import content_words
from text2mem.planner.topics import Topic

Raw = dict[str, Any]
DESTROYS = frozenset({"Delete", "Expire", "Merge"})
"""Ops that are not done on a guess."""
_OF_ONE = DESTROYS | {"Split", "Update"}
"""Ops that are done to the one memory that is meant, or not at all."""
MOST = 64
"""How many memories an aim names by their ids at most."""
_HELD = 0.55
"""How much of a topic that is not of several memories one has to hold to be changed."""
_CLEARLY = 0.9
"""How much of what the best memory's text holds of a topic another one holds that may be meant."""
_ORGANISING_TAGS = """
urgent important private personal keep draft drafts done open todo to-do pending waiting report
reports follow-up follow up read later checked shared favourite favorite starred new old misc inbox
reference note notes idea ideas task tasks decision event archive obsolete outdated final 加急 紧急
重要 私密 私人 保留 草稿 已完成 待办 待跟进 报告 已核对 已整理 共享 参考 过时 稍后读 等回复 收藏
想法 任务 决定 事件 其他 笔记 临时
"""
_ORGANISING = frozenset(_ORGANISING_TAGS.split())
"""Tags that say how a memory is kept, not what it is about."""


@dataclass(frozen=True, slots=True)
class Aim:
    """What a step means: a selector, and what it hits now.

    ``selector`` is None where the store holds nothing of it; ``phrase`` is what was looked for.
    ``near`` are memories that come closest. ``primary`` is the one that others are merged into.
    ``guessed``: the step does not say which of them it means.
    """

    selector: Raw | None
    records: tuple[Record, ...] = ()
    phrase: str = ""
    near: tuple[Record, ...] = ()
    primary: str | None = None
    guessed: bool = False


@dataclass(frozen=True, slots=True)
class _Way:
    """One way to select the memories of a topic; a filter, or nothing but their ids."""

    filter: Raw | None
    records: tuple[Record, ...]


def by_conditions(op: str, stated: Stated, view: StoreView, picture: Picture) -> Aim:
    """What meets the stated conditions alone."""
    conditions = _seen(stated.conditions, picture)
    limit = stated.raw.get("limit")
    if not stated.conditions:
        rows = tuple(view.recent(limit or MOST))
        return Aim({"ids": [row.id for row in rows]} if rows else None, rows)
    rows = tuple(view.select(as_filter(conditions)))
    if not rows:
        return Aim(None)
    return _limited(_Way(conditions, rows), stated)


def about(op: str, topic: Topic, stated: Stated, view: StoreView, picture: Picture) -> Aim:
    """What a topic means among the memories that meet the conditions."""
    reading = mean(topic.words, view, picture)
    if not reading:
        return Aim(None, phrase=topic.words, near=_near(picture, view))
    if op not in READS and not _several(topic) and not _held(reading, topic, picture):
        # "The appointment with the barber" is no other appointment.
        return Aim(None, phrase=topic.words, near=reading.records)
    ways = _ways(op, reading)
    for conditions in _conditions(op, topic, stated, picture):
        if not conditions:
            return _chosen(op, ways[0], topic, stated, picture)
        meeting = view.select(as_filter(_seen(conditions, picture)))
        for way in ways:
            both = _within(way.records, meeting)
            if both:
                filter_ = merged(way.filter, _seen(conditions, picture)) if way.filter else None
                return _chosen(op, _Way(filter_, both), topic, stated, picture)
    if set(stated.conditions) == {"time_range"} and (op not in DESTROYS or stated.loose):
        # "last week's client meeting": the time is part of what it is about.
        return _chosen(op, ways[0], topic, stated, picture)
    return Aim(None, phrase=topic.words, near=reading.records)


def united(found: Sequence[Aim]) -> Aim:
    """All that several topics mean; nothing where one of them means nothing."""
    for one in found:
        if one.selector is None or one.guessed:
            return one
    rows = {row.id: row for one in found for row in one.records}
    kept = tuple(rows.values())[:MOST]
    phrase = ", ".join(one.phrase for one in found if one.phrase)
    return Aim({"ids": [row.id for row in kept]}, kept, phrase)


def _several(topic: Topic) -> bool:
    """Whether a topic is of all memories about something: "my notes about the choir"."""
    return topic.called and bool(topic.many)


def _held(reading: Reading, topic: Topic, picture: Picture) -> bool:
    """Whether the memory that is meant holds enough of a topic to be the one."""
    if topic.generic or called_by(topic.noun, picture.vocabulary):
        return True
    return reading.confidence >= _HELD


def _conditions(op: str, topic: Topic, stated: Stated, picture: Picture) -> Iterator[Raw]:
    """The stated conditions with what the noun for a memory adds to them.

    And without it, where it may only be what a memory says of itself: "the report" of no tag.
    """
    conditions = stated.conditions
    noun = called_by(topic.noun, picture.vocabulary) if topic.noun else {}
    both = merged(conditions, noun) if noun else None
    if both is not None:
        yield both
    if both is None or op in READS or (op not in DESTROYS and "type" not in noun):
        yield conditions


def _ways(op: str, reading: Reading) -> list[_Way]:
    """The ways to select a topic's memories, the likeliest first.

    Where nothing that holds a topic's words meets the conditions, what it names may; a read also
    looks at memories that share the topical tag of those that hold its words.
    """
    others = [
        _way(each.selector, each.records)
        for each in reading.alternatives
        if each.why == "named" or (op in READS and _shares_topic(each))
    ]
    return [_way(reading.selector or {}, reading.records), *others]


def _way(selector: Mapping[str, Any], records: tuple[Record, ...]) -> _Way:
    filter_ = selector.get("filter")
    return _Way(dict(filter_) if filter_ else None, records)


def _shares_topic(way: Alternative) -> bool:
    """Whether a way selects by a tag that says what memories are about."""
    tags = way.selector.get("filter", {}).get("has_tags", ())
    return way.why == "shared" and bool(tags) and tags[0].casefold() not in _ORGANISING


def _chosen(op: str, way: _Way, topic: Topic, stated: Stated, picture: Picture) -> Aim:
    """The memories of a way that are meant: one where the topic means one."""
    if not topic.many and len(way.records) > 1 and "limit" not in stated.raw:
        rows = _closest(topic, way.records, picture)
        way = way if len(rows) == len(way.records) else _Way(None, rows)
        if topic.many is False and op in _OF_ONE and len(rows) > 1:
            return Aim({"ids": [row.id for row in rows]}, rows, topic.words, guessed=True)
    if op in READS and way.filter is None and not stated.raw and not picture.include:
        return Aim({"search": {"intent": {"query": topic.words}}}, way.records, topic.words)
    return replace(_limited(way, stated), phrase=topic.words)


def _closest(topic: Topic, rows: Sequence[Record], picture: Picture) -> tuple[Record, ...]:
    """Those that hold most of a topic; where it means one, in their own text: tags are shared."""
    texts = list(rows)
    if topic.many is False:
        texts = [replace(row, tags=(), topic=None, type=None) for row in rows]
    total = max(picture.vocabulary.total, len(rows))
    shares = coverage(content_words(topic.words), texts, total).shares
    least = (_CLEARLY if topic.many is False else NEAR) * max(shares.values(), default=0.0)
    return tuple(row for row in rows if least and shares[row.id] >= least) or tuple(rows)


def _limited(way: _Way, stated: Stated) -> Aim:
    """A way with the limit that is stated; of no order, the newest."""
    limit = stated.raw.get("limit")
    rows = way.records
    if limit is not None and len(rows) > limit:
        ordered = sorted(
            rows, key=lambda row: (row.when, int(row.id)), reverse=stated.order != "oldest"
        )
        chosen = {row.id for row in ordered[:limit]}
        rows = tuple(row for row in ordered if row.id in chosen)
        if way.filter is not None and stated.order != "oldest":
            return Aim({"filter": {**way.filter, "limit": limit}}, rows)
        return Aim({"ids": [row.id for row in rows]}, rows)
    if way.filter is not None:
        return Aim({"filter": way.filter}, rows)
    return Aim({"ids": [row.id for row in rows[:MOST]]}, rows[:MOST])


def _seen(conditions: Raw, picture: Picture) -> Raw:
    """Conditions with what they see beside what a read sees."""
    return {**conditions, "include": list(picture.include)} if picture.include else dict(conditions)


def _within(rows: Sequence[Record], others: Sequence[Record]) -> tuple[Record, ...]:
    wanted = {row.id for row in others}
    return tuple(row for row in rows if row.id in wanted)


def _near(picture: Picture, view: StoreView) -> tuple[Record, ...]:
    ids = [candidate.id for candidate in picture.candidates[:3]]
    found = view.find(ids)
    return tuple(found[id_] for id_ in ids if id_ in found)
