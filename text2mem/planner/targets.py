"""Targets: which memories a step means, read from its words and linked to the store.

Conditions that the step states (tags, facets, a time) and what it is about (a topic) are met
together. A step that names nothing itself points to what was spoken of before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from text2mem.ir.ops import READS
from text2mem.ir.ports import Hidden, StoreView
from text2mem.planner.conditions import Stated, called_by, stated
from text2mem.planner.described import excepted, exception, meant_by, nothing_said, without
from text2mem.planner.grounding import Picture, ground
from text2mem.planner.merging import by_number, parted
from text2mem.planner.pointing import Place, pointed
from text2mem.planner.requests import Span, Step
from text2mem.planner.selection import MOST, Aim, about, by_conditions, united
from text2mem.planner.topics import Topic, clause_text, topic

Raw = dict[str, Any]
Told = Callable[[str, Step], tuple[Span, ...]]
"""Where a step tells the args of an op."""


def aim(
    op: str,
    step: Step,
    told: Sequence[Span],
    view: StoreView,
    *,
    place: Place,
    told_before: Told = lambda op, step: (),
) -> Aim:
    """What a step means in the store.

    ``told`` are the stretches that tell the op's arguments; ``told_before`` says where those of an
    earlier step stand, to which this one may point.
    """
    if named := step.own("id"):
        found = by_ids([mention.value for mention in named], view)
        return by_number(step, found) if op == "Merge" else found
    left_out = exception(step, op)
    if left_out is None:
        return _meant(op, step, told, view, place, told_before)
    found = _meant(op, step, [*told, left_out], view, place, told_before)
    others = _meant(op, excepted(step, left_out), (), view, Place(), told_before)
    return _less(op, found, others)


def _meant(
    op: str, step: Step, told: Sequence[Span], view: StoreView, place: Place, told_before: Told
) -> Aim:
    picture = ground(step.words, view, include=hidden(op, step))
    own = without(step, told)
    said = stated(op, own, picture.vocabulary)
    if said.unknown:
        return Aim(None, phrase=", ".join(said.unknown))
    masked = [*told, *said.spans, *nothing_said(own)]

    def pointing() -> Aim:
        return pointed(op, step, view, place, picture.vocabulary.total, again)

    def again(earlier: Step) -> Aim:
        spans = told_before((earlier.head.ops or (op,))[0], earlier)
        return aim(op, earlier, spans, view, place=Place(), told_before=told_before)

    if op == "Merge" and (joined := parted(own, masked, view, picture, pointing)):
        return joined
    meant = meant_by(own, masked, picture)
    if not meant:
        return pointing()
    if len(meant) > 1:
        return united([_one(op, one, said, view, picture) for one in meant])
    one = meant[0]
    if _answers(step, one):
        said, one = _answered(op, step, said, one, picture, told_before)
    if not one.telling and not said.raw and not called_by(one.noun, picture.vocabulary):
        return pointing()
    found = _one(op, one, said, view, picture)
    says_little = one.telling and not one.called and (one.generic or not step.head.ops)
    if found.selector is None and says_little:
        found = by_conditions(op, said, view, picture) if said.conditions else pointing()
    return _hidden_only(op, step, found)


def _one(op: str, one: Topic, said: Stated, view: StoreView, picture: Picture) -> Aim:
    """What one topic, or its conditions alone, mean."""
    if one.telling:
        return about(op, one, said, view, picture)
    return by_conditions(op, _with_noun(said, one, picture), view, picture)


def _less(op: str, found: Aim, others: Aim) -> Aim:
    """What was found without others; nothing where it is not known which those are."""
    known = others.selector is not None and not others.guessed and others.records
    if found.selector is None or (not known and op not in READS):
        return found if found.selector is None else replace(found, selector=None)
    if "all" in found.selector and op not in READS:
        return replace(found, selector=None)
    gone = {row.id for row in others.records}
    rows = tuple(row for row in found.records if row.id not in gone)[:MOST]
    return replace(
        found, selector={"ids": [row.id for row in rows]} if rows else None, records=rows
    )


def by_ids(ids: Sequence[str], view: StoreView) -> Aim:
    """Memories that are named by their ids: all of them or none."""
    found = view.find(ids)
    missing = [id_ for id_ in ids if id_ not in found]
    if missing:
        return Aim(None, phrase=f"memory {', '.join(missing)}")
    return Aim({"ids": list(ids)}, tuple(found[id_] for id_ in ids))


_OF_DELETED = re.compile(r"delet|\bbin\b|trash|eras|删|回收站|忘", re.IGNORECASE)
_OF_ARCHIVED = re.compile(r"archiv|归档|存档", re.IGNORECASE)


def hidden(op: str, step: Step) -> Hidden:
    """What the step speaks of beside what a read sees by itself."""
    found: list[Any] = []
    if op == "Update" and step.flagged("restore"):
        if not _OF_DELETED.search(step.words):
            found.append("archived")
        if not _OF_ARCHIVED.search(step.words):
            found.append("deleted")
        return tuple(found) or ("archived", "deleted")
    if op in READS:
        if step.flagged("include-archived"):
            found.append("archived")
        if step.flagged("include-deleted"):
            found.append("deleted")
    return tuple(found)


def _hidden_only(op: str, step: Step, found: Aim) -> Aim:
    """What is brought back was hidden; what is not hidden is not meant."""
    if op != "Update" or not step.flagged("restore") or found.selector is None:
        return found
    rows = tuple(row for row in found.records if row.archived or row.deleted)
    if not rows:
        return Aim(None, phrase=found.phrase, near=found.records)
    if len(rows) == len(found.records):
        return found
    return replace(found, selector={"ids": [row.id for row in rows[:MOST]]}, records=rows[:MOST])


def _with_noun(said: Stated, meant: Topic, picture: Picture) -> Stated:
    noun = called_by(meant.noun, picture.vocabulary)
    if not noun or set(noun) & set(said.raw):
        return said
    return replace(said, raw={**said.raw, **noun})


# --- answers to a question back ------------------------------------------------------------


def _answers(step: Step, meant: Topic) -> bool:
    """Whether a step only answers what was asked back: "Sorry: the server move."."""
    return step.answers and step.earlier is not None and not meant.called and meant.telling


def _answered(
    op: str, step: Step, said: Stated, meant: Topic, picture: Picture, told_before: Told
) -> tuple[Stated, Topic]:
    """The conditions of the earlier step with its topic exchanged for the one of the answer."""
    earlier = step.earlier
    if earlier is None:
        return said, meant
    spans = told_before((earlier.head.ops or (op,))[0], earlier)
    before = stated(op, without(earlier, spans), picture.vocabulary)
    masked = [*spans, *before.spans, *nothing_said(earlier)]
    asked = topic(clause_text(earlier, masked), picture.vocabulary.types)
    raw = {**before.raw, **said.raw}
    return replace(before, raw=raw), replace(meant, noun=asked.noun, many=asked.many)
