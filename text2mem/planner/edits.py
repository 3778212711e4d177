"""Edits: what an Update sets, read from the request and from what the memory says now."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from text2mem.ir.record import Record
from text2mem.planner.told import Told
from text2mem.planner.grounding.words import content_words
from text2mem.planner.requests import Span, Step

Raw = dict[str, Any]
_PAIRS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\breplace (?P<old>.{1,80}?) (?:with|by) (?P<new>.{1,80}?)(?=[.,;!?]|$| in\b)",
        r"\bfrom (?P<old>[^,.;]{1,60}?) to (?P<new>[^,;]{1,80}?)(?=[.,;!?]?$|[,;])",
        r"\b(?:is|should (?:be|say|read)|it's|was|are) (?P<new>[^,.;]{1,60}?),? (?:and )?not (?P<old>[^,;]{1,60}?)(?=[.,;!?]?$|[,;])",
        r"(?P<new>[^,.;]{1,40}?) instead of (?P<old>[^,;]{1,60}?)(?=[.,;!?]?$|[,;])",
        r"\bchange (?P<old>[^,.;]{1,60}?) to (?P<new>[^,;]{1,80}?)(?=[.,;!?]?$|[,;])",
        r"(?:应该|应|该|其实)?是(?P<new>[^，。；]{1,30}?)[，,]?(?:而)?不是(?P<old>[^，。；]{1,30}?)(?=[，。；！？]|$)",
        r"从(?P<old>[^，。；]{1,30}?)(?:变更|更改|调整|修改|改|换|变)?(?:为|成|到|至)(?P<new>[^，。；]{1,30}?)(?=[，。；！？]|$)",
        r"(?:把|将)?(?P<old>[^，。；的把将]{1,30}?)(?:替换|换|改|更正|修正|变更|更改)(?:为|成)(?P<new>[^，。；]{1,30}?)(?=[，。；！？吗吧]|$)",
    )
)
_FIELDS: tuple[tuple[str, str, re.Pattern[str]], ...] = (
    ("time", "moment", re.compile(r"\b(?:its|their|the) (?:time|date)\b|(?:时间|日期)(?:改|换|调|设|更|应)", re.I)),
)  # fmt: skip
_TO = re.compile(
    r"\b(?:to (?:say|read|be)|should (?:now )?(?:say|read|be)|(?:says?|reads?):?|now reads?|into|to|with|as)\s+(?P<new>[^;]{1,200}?)[.!?]?$|"
    r"(?:改成|改为|更新为|更新成|修改为|变更为|调整为|设为|应该写成?|应该是|现在是|写成|换成|变为)(?P<zh>[^。；！？]{1,120})",
    re.IGNORECASE,
)


def edits(step: Step, records: Sequence[Record]) -> Told:
    """What a step tells of the new values; incomplete where the new text has to be written."""
    if step.flagged("restore"):
        return Told({"set": _restored(records)})
    if step.flagged("cancel-expiry"):
        return Told({"set": {"expire_at": None}})
    if step.flagged("cancel-reminder"):
        return Told({"set": {"remind": None}})
    for key, kind, pattern in _FIELDS:
        moments = step.own(kind, "deadline")  # type: ignore[arg-type]
        if pattern.search(step.words) and moments:
            return Told({"set": {key: moments[-1].value}}, ((moments[-1].start, moments[-1].end),))
    text, spans = _text(step, records)
    return Told({"set": {"text": text}}, spans) if text else Told({}, spans, complete=False)


def spans_of(step: Step) -> tuple[Span, ...]:
    """Where a step tells what a memory is to say, so that it is not looked for."""
    return _written(step)[1]


def _restored(records: Sequence[Record]) -> Raw:
    out: Raw = {}
    if any(row.deleted for row in records):
        out["deleted"] = False
    if any(row.archived for row in records) or not out:
        out["archived"] = False
    return out


def _written(step: Step) -> tuple[str, tuple[Span, ...]]:
    """The new text as it was said, and where."""
    start = step.clause.start
    quotes = [q for q in step.own("quote") if not _in_tag(step, q.start, q.end)]
    if quotes:
        return quotes[-1].value, tuple((q.start, q.end) for q in quotes[-1:])
    found = _TO.search(step.words)
    if not found:
        return "", ()
    group = "new" if found.group("new") else "zh"
    return found.group(group).strip(), ((start + found.start(), start + found.end(group)),)


def _text(step: Step, records: Sequence[Record]) -> tuple[str, tuple[Span, ...]]:
    """The text after the edit: an exchange within the one that is there, or what was quoted."""
    written, spans = _written(step)
    for pattern in _PAIRS:
        found = pattern.search(step.words)
        if found and len(records) == 1:
            old, new = _bare(found.group("old")), _bare(found.group("new"))
            place = step.clause.start
            span = (place + found.start(), place + found.end())
            exchanged = _exchanged(records[0].text, old, new)
            if exchanged:
                return exchanged, (span,)
    quoted = any(q.value == written for q in step.own("quote"))
    return (written, spans) if quoted else ("", spans)


def _exchanged(text: str, old: str, new: str) -> str:
    place = text.casefold().find(old.casefold())
    return text[:place] + new + text[place + len(old) :] if old and place >= 0 else ""


def _bare(words: str) -> str:
    return words.strip(" \"'“”‘’「」『』")


def _in_tag(step: Step, start: int, end: int) -> bool:
    return any(m.start <= start and end <= m.end for m in step.own("tag", "facet"))


def invented(text: str, step: Step, records: Sequence[Record]) -> list[str]:
    """The words of a new text that neither the request nor the memory says."""
    known = " ".join([step.evidence.utterance, *(row.text for row in records),
                      *((step.earlier.evidence.utterance,) if step.earlier else ())])  # fmt: skip
    stems = {word.stem for word in content_words(known)}
    folded = known.casefold()
    return [
        word.text
        for word in content_words(text)
        if word.stem not in stems and word.text.casefold() not in folded
    ]
