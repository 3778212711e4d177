"""Described: what a step says of the memories that it means, apart from all else that it says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from text2mem.planner.conditions import called_by
from text2mem.planner.evidence import Kind
from text2mem.planner.evidence.text import NOT_DELETING
from text2mem.planner.grounding import Picture
from text2mem.planner.requests import Span, Step
from text2mem.planner.topics import Topic, clause_text, topic, topics

_TELLING_HOW: tuple[Kind, ...] = (
    "flag", "order", "lock_mode", "priority", "reviewer", "recurrence", "deadline", "duration",
    "pronoun", "tokens", "words", "sentences", "characters", "overlap",
)  # fmt: skip
_THOSE = re.compile(r"\b(?:all of )?(?:those|these|that|this)\s+$|[那这]些$", re.IGNORECASE)
_CLASSIFIED = re.compile(r"[那这]一?(?:条|份|个|篇|则|封|段|项)")
"""That one: of what, may stand right before it (屋顶那条)."""
_SHORT = 40
"""How long a flag may be that says nothing of what is meant; a longer one holds the topic, too."""
_AND = re.compile(
    r"[\s,，]*(?:and|as well as|plus|&|以及|还有|和|与|跟|、)[\s,]*"
    r"(?:also |the |my |our |all |those )*",
    re.IGNORECASE,
)
_EXCEPT = re.compile(
    r"(?:[,，]\s*)?(?:\b(?:except(?: for)?|but not|other than|apart from|excluding|save for|"
    r"with the exception of|all but)\b\s+|"
    rf"{NOT_DELETING}(?:除了|除开|除(?=[^，。]{{1,20}}外))|"
    r"[,，](?:但|但是|不过|只是)?(?:不包括|不含|别动|不要动|保留|留下|留着|跳过))"
    r"(?P<rest>[^.;!?,，。；！？]+)",
    re.IGNORECASE,
)
_EXCEPT_END = re.compile(r"(?:以外|之外|外)$")


def nothing_said(step: Step) -> list[Span]:
    """Stretches that say nothing of what a memory is about."""
    found = [m for m in step.own(*_TELLING_HOW) if not _CLASSIFIED.match(m.words)]
    return [(m.start, m.end) for m in found if len(m.words) <= _SHORT and not topics(m.words)]


def without(step: Step, told: Sequence[Span]) -> Step:
    """The step without the mentions that stand where an argument is told."""
    kept = tuple(
        mention
        for mention in step.evidence.mentions
        if not any(first <= mention.start and mention.end <= last for first, last in told)
    )
    return replace(step, evidence=replace(step.evidence, mentions=kept))


def meant_by(step: Step, masked: Sequence[Span], picture: Picture) -> tuple[Topic, ...]:
    """What the step is about; several topics where it joins them, none where it only points."""
    types = picture.vocabulary.types
    text = clause_text(step, masked)
    found = [_without_noun(one, picture) for one in topics(text, types)]
    joined = _joined(text, found)
    if len(joined) > 1:
        return joined
    one = next((each for each in found if each.telling), found[0]) if found else topic(text, types)
    if one.called and one.telling:
        return (one,)
    return _before_pronoun(step, text, one, types)


def _without_noun(one: Topic, picture: Picture) -> Topic:
    """A topic without the noun that is a condition of its own: the type of a memory, or a tag."""
    if not called_by(one.noun, picture.vocabulary):
        return one
    return replace(one, words=one.words.removesuffix(one.noun).strip())


def _joined(text: str, found: Sequence[Topic]) -> tuple[Topic, ...]:
    """The topics of "the birthday notes and the fence note"."""
    kept: list[Topic] = []
    for one in found:
        if not one.telling:
            continue
        if kept and not _AND.fullmatch(text[kept[-1].end : one.start]):
            break
        kept.append(one)
    return tuple(kept)


def _before_pronoun(step: Step, text: str, found: Topic, types: Sequence[str]) -> tuple[Topic, ...]:
    """ "Drop the cake recipe, I don't need it": what stands before the pronoun is what it means."""
    refers = step.own("pronoun", "latest")
    cut = refers[0].start - step.clause.start if refers else len(text)
    if found.called and (those := _THOSE.search(text[: found.start])):
        cut = min(cut, those.start())
    if cut == len(text):
        return (found,)
    before = topic(text[:cut], types)
    if not before.telling or before.generic:
        return (found,) if found.called else ()
    return (replace(before, noun=found.noun, many=found.many),) if found.called else (before,)


def exception(step: Step, op: str) -> Span | None:
    """Where a step says which memories it does not mean: "except the one about the solo"."""
    if op in ("Merge", "Split", "Encode", "Update"):
        return None
    found = _EXCEPT.search(step.words)
    if found is None:
        return None
    place = step.clause.start
    span = (place + found.start(), place + found.end())
    negated = [m for m in step.own("tag") if m.value.get("negated")]
    return None if any(span[0] <= m.start < span[1] for m in negated) else span


def excepted(step: Step, span: Span) -> Step:
    """The stretch of an exception as a step of its own."""
    words = step.evidence.utterance[span[0] : span[1]]
    found = _EXCEPT.search(words)
    start = span[0] + (found.start("rest") if found else 0)
    rest = step.evidence.utterance[start : span[1]]
    end = _EXCEPT_END.search(rest)
    rest = rest[: end.start()] if end else rest
    clause = replace(step.clause, start=start, end=start + len(rest), words=rest)
    return replace(step, clause=clause, head=replace(step.head, start=0, end=0))
