"""Targets: which memories a step means, read from its words and linked to the store.

Conditions that the step states (tags, facets, a time) and what it is about (a topic phrase) are
met together. Where the store holds nothing of that, the aim says so: nobody guesses.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from text2mem.ir.ops import READS
from text2mem.ir.ports import Hidden, StoreView
from text2mem.ir.record import Record
from text2mem.planner.conditions import as_filter, stated, within
from text2mem.planner.grounding import Picture, ground, mean
from text2mem.planner.grounding.words import content_words
from text2mem.planner.requests import Span, Step
from text2mem.planner.topic import is_generic, topic

Raw = dict[str, Any]
DESTROYS = frozenset({"Delete", "Expire", "Merge"})
"""Ops that are not done on a guess."""
MOST = 64
"""How many memories an aim names by their ids at most."""
_DEICTIC = re.compile(
    r"\b(?:this|that|these|those|it|them)\b|[这那该此](?:个|些|条|份|次|篇|封|项|段|张|本|项|场)?|它们?", re.I
)
_INTO = re.compile(
    r"\b(?:in)?to (?=(?:the |my )?(?:note|memory|entry|one|record|report)\b)|(?:并入|归并到|合并到|并到|合到|放进|整合到|后者)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Aim:
    """What a step means: a selector, and what it hits now.

    ``selector`` is None where the store holds nothing of it; ``phrase`` is what was looked for.
    ``near`` are memories that come closest. ``primary`` is the one that others are merged into.
    """

    selector: Raw | None
    records: tuple[Record, ...] = ()
    phrase: str = ""
    near: tuple[Record, ...] = ()
    primary: str | None = None
    guessed: bool = False
    unknown: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Place:
    """Where a step stands: its number in the request (0-based), and the ids of the turn before."""

    number: int = 0
    ids: tuple[str, ...] = ()


def aim(
    op: str,
    step: Step,
    told: Sequence[Span],
    view: StoreView,
    *,
    place: Place,
    vector: tuple[float, ...] | None = None,
) -> Aim:
    """What a step means in the store. ``told`` are the stretches that tell the op's arguments."""
    include = _hidden(op, step)
    picture = ground(step.words, view, include=include)
    named = step.own("id")
    if named:
        return _by_ids([mention.value for mention in named], view)
    own = _without_given(step, told)
    raw, spans, unknown = stated(own, picture.vocabulary)
    phrase = topic(own.rest([*told, *spans, *_about_nothing(own)]))
    topical = bool(content_words(phrase)) and not (
        step.own("pronoun", "latest") and is_generic(phrase)
    )
    if not topical and not raw:
        return _pointing(op, step, view, place, phrase, picture.vocabulary.total)
    if unknown:
        return Aim(None, phrase=", ".join(unknown), unknown=tuple(unknown))
    if op == "Merge" and (parted := _merged(own, told, spans, view, picture)):
        return parted
    if include:
        raw["include"] = list(include)
    if not topical:
        rows = tuple(view.select(as_filter(raw)))
        return Aim({"filter": raw} if rows else None, rows, phrase)
    met = _met(op, raw, phrase, view, picture, vector)
    if met.selector is None and not raw and is_generic(phrase):
        return _pointing(op, step, view, place, phrase, picture.vocabulary.total)
    return met


def _met(
    op: str, raw: Raw, phrase: str, view: StoreView, picture: Picture,
    vector: tuple[float, ...] | None,
) -> Aim:  # fmt: skip
    """The memories that a phrase means and that meet the stated conditions."""
    reading = mean(phrase, view, picture, vector=vector)
    if not reading:
        return Aim(None, phrase=phrase, near=_near(picture, view))
    if not raw:
        if op in READS and "ids" in (reading.selector or {}):
            return Aim({"search": {"intent": {"query": phrase}}}, reading.records, phrase)
        return Aim(dict(reading.selector or {}), reading.records, phrase)
    meeting = view.select(as_filter(raw))
    both = within([row.id for row in reading.records], [row.id for row in meeting])
    if not both and set(raw) == {"time_range"}:
        # "last week's client meeting": the time is part of what it is about.
        return Aim(dict(reading.selector or {}), reading.records, phrase)
    records = tuple(row for row in reading.records if row.id in set(both))
    if not both:
        return Aim(None, phrase=phrase, near=reading.records)
    if reading.selector and "filter" in reading.selector and not raw.get("limit"):
        merged = _merge_filters(reading.selector["filter"], raw)
        if merged is not None:
            return Aim({"filter": merged}, records, phrase)
    return Aim({"ids": both[: raw.get("limit", MOST)]}, records, phrase)


def _merge_filters(one: Raw, other: Raw) -> Raw | None:
    """One filter of two; None where they speak of the same key in different ways."""
    if other.get("match") == "any" and "has_tags" in one:
        return None
    merged = {**one, **other}
    if "has_tags" in one and "has_tags" in other:
        merged["has_tags"] = list(dict.fromkeys([*one["has_tags"], *other["has_tags"]]))
    return merged


def _by_ids(ids: Sequence[str], view: StoreView) -> Aim:
    found = view.find(ids)
    missing = [id_ for id_ in ids if id_ not in found]
    if missing:
        return Aim(None, phrase=f"memory {', '.join(missing)}", unknown=tuple(missing))
    return Aim({"ids": list(ids)}, tuple(found[id_] for id_ in ids))


def _pointing(
    op: str, step: Step, view: StoreView, place: Place, phrase: str, total: int
) -> Aim:  # fmt: skip
    """A step that names nothing itself: "them", "the last one", "this document", "everything"."""
    if step.flagged("everything") and not step.own("pronoun"):
        return Aim({"all": True}, tuple(view.recent(MOST)))
    if step.own("latest"):
        rows = tuple(view.recent(1))
        return Aim({"ids": [row.id for row in rows]} if rows else None, rows, phrase)
    if place.number:
        return Aim({"ids": ["$-1"]})
    if place.ids:
        found = view.find(place.ids)
        known = [id_ for id_ in place.ids if id_ in found]
        if known:
            return Aim({"ids": known}, tuple(found[id_] for id_ in known))
    if step.earlier is not None:
        return aim(op, step.earlier, (), view, place=Place())
    if op in READS:
        rows = tuple(view.recent(20))
        return Aim({"all": True}, rows, phrase)
    rows = tuple(view.recent(1))
    if rows and (total == 1 or _DEICTIC.search(step.words) or op not in DESTROYS):
        return Aim({"ids": [rows[0].id]}, rows, phrase, guessed=total > 1)
    return Aim(None, phrase=phrase, near=tuple(view.recent(3)))


def _merged(
    step: Step, told: Sequence[Span], spans: Sequence[Span], view: StoreView, picture: Picture
) -> Aim | None:
    """ "Merge A into B": B is the primary; None where the step names no such place."""
    found = _INTO.search(step.words)
    if not found:
        return None
    at = step.clause.start + found.start()
    before = step.rest([*told, *spans, (at, step.clause.end)])
    after = step.rest([*told, *spans, (step.clause.start, at + len(found.group()))])
    into, others = mean(after, view, picture), mean(before, view, picture)
    if not into or not others:
        return None
    primary = into.records[0].id
    ids = [row.id for row in others.records if row.id != primary]
    if not ids:
        return None
    rows = (into.records[0], *(row for row in others.records if row.id != primary))
    return Aim({"ids": [primary, *ids]}, rows, before, primary=primary)


def _without_given(step: Step, told: Sequence[Span]) -> Step:
    """The step without the mentions that stand where an argument is told."""
    kept = tuple(
        mention
        for mention in step.evidence.mentions
        if not any(first <= mention.start and mention.end <= last for first, last in told)
    )
    return replace(step, evidence=replace(step.evidence, mentions=kept))


def _about_nothing(step: Step) -> list[Span]:
    """Stretches that say nothing of what a memory is about."""
    return [(m.start, m.end) for m in step.own("flag", "order", "latest", "condition")
            if m.kind != "condition"]  # fmt: skip


def _hidden(op: str, step: Step) -> Hidden:
    if op == "Update" and step.flagged("restore"):
        return ("archived", "deleted")
    return ()


def _near(picture: Picture, view: StoreView) -> tuple[Record, ...]:
    ids = [candidate.id for candidate in picture.candidates[:3]]
    found = view.find(ids)
    return tuple(found[id_] for id_ in ids if id_ in found)
