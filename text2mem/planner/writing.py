"""Writing: as much of one instance as code can tell from the request and the store.

What is left open is asked of the model, through the slots of the op; what must not be guessed
becomes a question to the person.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from text2mem.ir.ops import READS
from text2mem.ir.ports import StoreView, Vocabulary
from text2mem.ir.record import Record
from text2mem.planner.arguments import Told, told
from text2mem.planner.asking import Question
from text2mem.planner.conditions import stated
from text2mem.planner.content import of_turn, said, stored
from text2mem.planner.contradictions import contradicts
from text2mem.planner.described import nothing_said, without
from text2mem.planner.edits import Edited, edits, invented, spans_of
from text2mem.planner.pointing import Place, is_part
from text2mem.planner.questions import (
    ambiguous,
    contradictory,
    missing_content,
    nothing_found,
    nothing_to_write,
    one_alone,
    until_when,
    wide,
)
from text2mem.planner.requests import Span, Step
from text2mem.planner.selection import DESTROYS, Aim
from text2mem.planner.slots import WRITE_LIMIT, Form, args_of, instances_of, target_of
from text2mem.planner.targets import aim
from text2mem.planner.topics import clause_text, topic

if TYPE_CHECKING:
    from text2mem.planner.ask import Ask

Raw = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Writing:
    """What code could write of an instance.

    ``target`` is None where it has to be asked for; ``args`` hold what is told, all of it where
    ``complete``. ``shown`` are the memories whose text the model needs to see. ``absent`` is what
    the step names and the store does not hold. ``question`` stands in place of all of it.
    """

    op: str
    step: Step
    target: Raw | None = None
    args: Raw | None = None
    complete: bool = False
    shown: tuple[Record, ...] = ()
    absent: str = ""
    question: Question | None = None

    def left_open(self, asked: Form) -> Form:
        """The form of the op with only the slots that are left open."""
        if self.op == "Encode":
            if not self.complete:
                return asked
            return Form(((),), lambda _: [{"op": "Encode", "args": dict(self.args or {})}])
        first = 0 if self.target is None else 1
        last = 1 if self.complete else None
        alternatives = tuple(slots[first:last] for slots in asked.alternatives)
        unique = {tuple(slot.key for slot in slots): slots for slots in alternatives}
        return Form(tuple(unique.values()), self._instances)

    def _instances(self, raw: Raw) -> list[Raw]:
        utterance = self.step.evidence.utterance
        args = dict(self.args or {})
        if not self.complete:
            args = {**args_of(self.op, raw, utterance), **args}
        limit = None if self.op in READS else WRITE_LIMIT
        target = self.target if self.target is not None else target_of(raw, limit=limit)
        return instances_of(self.op, target, args)

    def doubt(self, instances: Sequence[Any]) -> Question | None:
        """Whether what the model wrote says things that nobody said."""
        if self.op != "Update" or not (self.shown or self.target):
            return None
        text = instances[-1].get("args", {}).get("set", {}).get("text")
        if isinstance(text, str) and invented(text, self.step, self.shown):
            return missing_content(self.step, self.shown)
        return None


def write(op: str, step: Step, ask: Ask, number: int) -> Writing:
    """As much of an instance as the step and the store tell. ``number`` counts the steps before."""
    if op == "Encode":
        return _encode(step, ask)
    if contradicts(op, step):
        return Writing(op, step, question=contradictory(step))
    before = Told({}, spans_of(step)) if op == "Update" else told(op, step)
    if op == "Expire" and not before.complete and _VAGUELY.search(step.words):
        return Writing(op, step, question=until_when(step))
    if ask.store is None or not ask.aids.grounding:
        args = edits(step, ()).told if op == "Update" else before
        target = _unlinked(op, step, before.spans, number)
        return Writing(op, step, target, args.args, args.complete)
    place = Place(number, ask.context[-1].ids if ask.context else ())
    found = aim(op, step, before.spans, ask.store, place=place, told_before=_told_spans)
    if found.selector is None and op not in DESTROYS:
        found = _without_its_end(op, step, before.spans, ask.store, place) or found
    if found.selector is None:
        return _nothing(op, step, found, before, ask, number)
    if op == "Update":
        return _update(step, found)
    if found.guessed and op in DESTROYS:
        return Writing(op, step, question=ambiguous(op, step, found, before.args))
    if op == "Delete" and (hit := _too_many(step, found, ask)):
        return Writing(op, step, question=wide(op, step, found.selector, before.args, hit))
    args = before
    if op == "Merge" and _is_one(found):
        return Writing(op, step, question=one_alone(step, found))
    if op == "Merge" and found.primary is not None:
        args = replace(args, args={**args.args, "primary_id": found.primary})
    return Writing(op, step, found.selector, args.args, args.complete)


def _is_one(found: Aim) -> bool:
    """Whether a single memory is meant, and no result of an earlier step."""
    return len(found.records) == 1 and "$-1" not in (found.selector or {}).get("ids", ())


_VAGUELY = re.compile(
    r"\bfor (?:now|a (?:little |short |good )?(?:while|bit|time)|a few days|some time|"
    r"the time being|the moment)\b|\bin a (?:little |short )?(?:while|bit)\b|"
    r"\bsome ?(?:day|time)\b|\bsoon\b|"
    r"一阵子?|一段时间|一小段时间|些日子|几天|暂时|过些时候|一会儿|不久",
    re.IGNORECASE,
)
"""A length of time that nobody can tell."""
_ENDS = re.compile(
    r"[\s,]+(?:to|into|in order|so (?:that|as)|because|since|on (?:the|my|our) calendar|"
    r"in (?:the|my|our) (?:calendar|database|system|records?|files?)|"
    r"(?:and )?(?:finally|then|lastly))\b",
    re.IGNORECASE,
)
"""Where what a step says of its purpose begins, or what it does to the memories that it means."""


def _without_its_end(
    op: str, step: Step, told_at: Sequence[Span], store: StoreView, place: Place
) -> Aim | None:
    """What a step means that goes on after it has named that: "the dates to account for it"."""
    start, end = step.clause.start, step.clause.end
    for cut in reversed([start + found.start() for found in _ENDS.finditer(step.words)]):
        found = aim(op, step, [*told_at, (cut, end)], store, place=place, told_before=_told_spans)
        if found.selector is not None and found.records:
            return found
    return None


_FEW, _SHARE = 20, 0.2
"""How many memories may be deleted by their ids unasked: so many, or this share of all."""


def _too_many(step: Step, found: Aim, ask: Ask) -> int:
    """How many memories a Delete hits that the store would not ask about; 0 for few.

    A store asks back where a wide Delete selects by conditions, not where it names ids.
    """
    ids = (found.selector or {}).get("ids")
    if ids is None or ask.store is None or step.own("id"):
        return 0
    hit = len(ids) if ids != ["$-1"] else _hit_before(step, ask)
    return hit if hit > max(_FEW, _SHARE * ask.store.vocabulary(limit=1).total) else 0


def _hit_before(step: Step, ask: Ask) -> int:
    """How many memories the step before hits, to which this one points."""
    place = ask.steps.index(step) if step in ask.steps else 0
    if not place or ask.store is None:
        return 0
    earlier = ask.steps[place - 1]
    op = (earlier.head.ops or ("Retrieve",))[0]
    spans = _told_spans(op, earlier)
    if op == "Encode":
        return 1
    at = Place(place - 1)
    found = aim(op, earlier, spans, ask.store, place=at, told_before=_told_spans)
    ids = (found.selector or {}).get("ids")
    return _hit_before(earlier, ask) if ids == ["$-1"] else len(found.records)


def _update(step: Step, found: Aim) -> Writing:
    """An edit of what was found; of the one memory that holds what is to change, where one does."""
    edited: Edited = edits(step, found.records)
    selector, args = found.selector, edited.told
    if len(found.records) > 1 and edited.chosen is not None:
        selector = {"ids": [edited.chosen.id]}
    elif found.guessed and len(found.records) > 1:
        return Writing("Update", step, question=ambiguous("Update", step, found, args.args))
    if args.complete:
        return Writing("Update", step, selector, args.args, True)
    if not _says_something(step):
        return Writing("Update", step, question=missing_content(step, found.records))
    return Writing("Update", step, selector, args.args, False, found.records[:3])


def _told_spans(op: str, step: Step) -> tuple[Span, ...]:
    """Where a step of an earlier turn tells the args of its op."""
    if op == "Encode":
        return ()
    return spans_of(step) if op == "Update" else told(op, step).spans


def _nothing(op: str, step: Step, found: Aim, args: Told, ask: Ask, number: int) -> Writing:
    """The store holds nothing of it: what destroys asks, all else hits nothing and says so.

    A write that the model has chosen, since the step does not say what is to be done, asks, too.
    """
    phrase = found.phrase or step.words
    guessed = op not in READS and len(step.head.ops) != 1 and step.earlier is None
    if op == "Update":
        args = edits(step, ()).told
        if not args.complete and ask.aids.constraint:
            return Writing(op, step, question=nothing_to_write(step, found))
    if (op in DESTROYS or guessed) and ask.aids.constraint:
        return Writing(op, step, question=nothing_found(op, step, found, args.args))
    if number and (op == "Summarize" or is_part(phrase)):
        return Writing(op, step, {"ids": ["$-1"]}, args.args, args.complete)
    search: Raw = {"intent": {"query": phrase}}
    if op not in READS:
        search["limit"] = WRITE_LIMIT
    target: Raw = {"search": search}
    if op not in READS and ask.aids.constraint and ask.store and ask.store.search(phrase):
        # A search would take what is only like it.
        target = {"filter": {"has_tags": [phrase]}}
    return Writing(op, step, target, args.args, args.complete, absent=phrase)


def _unlinked(op: str, step: Step, told_at: Sequence[Span], number: int) -> Raw | None:
    """A target that needs no store: ids, conditions or what an earlier step made.

    None where the step names a topic: that is asked of the model.
    """
    ids = step.own("id")
    if ids:
        return {"ids": [mention.value for mention in ids]}
    own = without(step, told_at)
    names = tuple(mention.value["name"] for mention in own.own("tag"))
    said_ = stated(op, own, Vocabulary(tags=names))
    about = topic(clause_text(own, [*told_at, *said_.spans, *nothing_said(own)]))
    if about.telling and not about.generic:
        return None
    if said_.conditions:
        return {"filter": said_.raw}
    return {"ids": ["$-1"]} if number and step.own("pronoun") else None


_NAMED = re.compile(r"\d|[\"“‘「『']|\b(?:to|with|as|into|by)\b|为|成|到|加|把", re.IGNORECASE)


def _says_something(step: Step) -> bool:
    """Whether an update says anything about what is to be written."""
    return bool(_NAMED.search(step.rest(())))


def _encode(step: Step, ask: Ask) -> Writing:
    args = stored(step, ask.now, _stated_before(step, ask))
    if args is None:
        return Writing("Encode", step)
    return Writing("Encode", step, None, args, complete=True)


def _stated_before(step: Step, ask: Ask) -> str:
    """What an earlier turn stated, for a step that only says to keep it."""
    if step.earlier is not None:
        if "Encode" in step.earlier.head.ops:
            return said(step.earlier)[0]
        return "" if step.earlier.head.ops else of_turn(step.earlier.evidence.utterance)
    stated_turns = (of_turn(turn.text) for turn in reversed(ask.context) if not turn.question)
    return next((text for text in stated_turns if text), "")
