"""Targets: which memories a step means, read from its words and linked to the store.

Conditions that the step states (tags, facets, a time) and what it is about (a topic) are met
together. A step that names nothing itself points to what was spoken of before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from text2mem.ir.ops import READS
from text2mem.ir.ports import Hidden, StoreView
from text2mem.ir.record import Record
from text2mem.planner.conditions import Stated, called_by, stated
from text2mem.planner.evidence import Kind
from text2mem.planner.grounding import Picture, ground
from text2mem.planner.merging import by_number, parted
from text2mem.planner.requests import Span, Step
from text2mem.planner.selection import DESTROYS, MOST, Aim, about, by_conditions
from text2mem.planner.topics import Topic, clause_text, topic, topics

__all__ = ["DESTROYS", "Aim", "Place", "aim", "nothing_said", "without"]
Raw = dict[str, Any]
Told = Callable[[str, Step], tuple[Span, ...]]
"""Where a step tells the args of an op."""
_DEICTIC = re.compile(
    r"\b(?:this|that|it)\b|\b(?:these|those)\s+(?!notes|memor|entries|records|ones|two)[a-z]+|"
    r"[这那]些(?!笔记|记忆|记录|条)[\u3400-\u9fff]|[这那该此](?:个|条|份|次|篇|封|项|段|张|本|场)?(?!些)|它(?!们)",
    re.IGNORECASE,
)

_TELLING_HOW: tuple[Kind, ...] = (
    "flag", "order", "lock_mode", "priority", "reviewer", "recurrence", "deadline", "duration",
    "pronoun",
    "tokens", "words", "sentences", "characters", "overlap",
)  # fmt: skip
_THOSE = re.compile(r"\b(?:all of )?(?:those|these|that|this)\s+$|[那这]些$", re.IGNORECASE)
_CLASSIFIED = re.compile(r"[那这]一?(?:条|份|个|篇|则|封|段|项)")
"""That one: of what, may stand right before it (屋顶那条)."""
_SHORT = 40
"""How long a flag may be that says nothing of what is meant; a longer one holds the topic, too."""


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
    told_before: Told = lambda op, step: (),
) -> Aim:
    """What a step means in the store.

    ``told`` are the stretches that tell the op's arguments; ``told_before`` says where those of an
    earlier step stand, to which this one may point.
    """
    include = hidden(op, step)
    picture = ground(step.words, view, include=include)
    if named := step.own("id"):
        found = by_ids([mention.value for mention in named], view)
        return by_number(step, found) if op == "Merge" else found
    own = without(step, told)
    said = stated(op, own, picture.vocabulary)
    if said.unknown:
        return Aim(None, phrase=", ".join(said.unknown), unknown=said.unknown)
    masked = [*told, *said.spans, *nothing_said(own)]
    pointing = _Pointing(op, step, view, place, picture, told_before)
    if op == "Merge" and (joined := parted(own, masked, view, picture, pointing.aim)):
        return joined
    meant = _topic(own, masked, picture)
    if meant is None:
        return pointing.aim()
    if _answers(step, meant):
        said, meant = _answered(op, step, said, meant, picture, told_before)
    if not meant.telling:
        if not said.raw and not called_by(meant.noun, picture.vocabulary):
            return pointing.aim()
        return _hidden_only(
            op, step, by_conditions(op, _with_noun(said, meant, picture), view, picture)
        )
    found = about(op, meant, said, view, picture, vector)
    if found.selector is None and not meant.called and (meant.generic or not step.head.ops):
        found = by_conditions(op, said, view, picture) if said.conditions else pointing.aim()
    return _hidden_only(op, step, found)


def by_ids(ids: Sequence[str], view: StoreView) -> Aim:
    """Memories that are named by their ids: all of them or none."""
    found = view.find(ids)
    missing = [id_ for id_ in ids if id_ not in found]
    if missing:
        return Aim(None, phrase=f"memory {', '.join(missing)}", unknown=tuple(missing))
    return Aim({"ids": list(ids)}, tuple(found[id_] for id_ in ids))


def without(step: Step, told: Sequence[Span]) -> Step:
    """The step without the mentions that stand where an argument is told."""
    kept = tuple(
        mention
        for mention in step.evidence.mentions
        if not any(first <= mention.start and mention.end <= last for first, last in told)
    )
    return replace(step, evidence=replace(step.evidence, mentions=kept))


def hidden(op: str, step: Step) -> Hidden:
    """What the step speaks of beside what a read sees by itself."""
    found: list[Any] = []
    if op == "Update" and step.flagged("restore"):
        said = step.words.casefold()
        if not re.search(r"delet|bin\b|trash|eras|删|回收站|忘", said):
            found.append("archived")
        if not re.search(r"archiv|归档|存档", said):
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


def _topic(step: Step, masked: Sequence[Span], picture: Picture) -> Topic | None:
    """What the step is about; None where it points to something that it does not name itself."""
    types = picture.vocabulary.types
    text = clause_text(step, masked)
    found = topic(text, types)
    refers = step.own("pronoun", "latest")
    if found.called and called_by(found.noun, picture.vocabulary):
        found = replace(found, words=found.words.removesuffix(found.noun).strip())
    if found.called and found.telling:
        return found
    cut = refers[0].start - step.clause.start if refers else len(text)
    if found.called and (those := _THOSE.search(text[: found.start])):
        cut = min(cut, those.start())
    if cut == len(text):
        return found
    # "Drop the cake recipe, I don't need it": what stands before the pronoun is what it means.
    before = topic(text[:cut], types)
    if not before.telling or before.generic:
        return found if found.called else None
    return replace(before, noun=found.noun, many=found.many) if found.called else before


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


def _with_noun(said: Stated, meant: Topic, picture: Picture) -> Stated:
    noun = called_by(meant.noun, picture.vocabulary)
    return (
        replace(said, raw={**said.raw, **noun}) if noun and not set(noun) & set(said.raw) else said
    )


def nothing_said(step: Step) -> list[Span]:
    """Stretches that say nothing of what a memory is about."""
    found = [m for m in step.own(*_TELLING_HOW) if not _CLASSIFIED.match(m.words)]
    return [(m.start, m.end) for m in found if len(m.words) <= _SHORT and not topics(m.words)]


@dataclass(frozen=True, slots=True)
class _Pointing:
    """A step that names nothing itself: "them", "the last one", "this document", "everything"."""

    op: str
    step: Step
    view: StoreView
    place: Place
    picture: Picture
    told_before: Told

    def aim(self) -> Aim:
        """What it points to."""
        step, view, place = self.step, self.view, self.place
        if step.flagged("everything") and not step.own("pronoun"):
            return Aim({"all": True}, tuple(view.recent(MOST)))
        if step.own("latest"):
            rows = tuple(view.recent(1))
            return Aim({"ids": [row.id for row in rows]} if rows else None, rows)
        if place.number:
            return Aim({"ids": ["$-1"]})
        if place.ids:
            found = view.find(place.ids)
            known = [id_ for id_ in place.ids if id_ in found]
            if known:
                return Aim({"ids": known}, tuple(found[id_] for id_ in known))
        if step.earlier is not None:
            return self._earlier(step.earlier)
        return self._newest()

    def _earlier(self, earlier: Step) -> Aim:
        ops = earlier.head.ops or (self.op,)
        spans = self.told_before(ops[0], earlier)
        return aim(self.op, earlier, spans, self.view, place=Place(), told_before=self.told_before)

    def _newest(self) -> Aim:
        """Nothing was spoken of: all for a read, the newest memory for what can be undone."""
        if self.op in READS:
            return Aim({"all": True}, tuple(self.view.recent(20)))
        rows: tuple[Record, ...] = tuple(self.view.recent(1))
        total = self.picture.vocabulary.total
        if rows and (total == 1 or _DEICTIC.search(self.step.words)):
            return Aim({"ids": [rows[0].id]}, rows, guessed=total > 1)
        return Aim(None, near=tuple(self.view.recent(3)))
