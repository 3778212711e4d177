"""Edits: what an Update sets, read from the request and from what the memory says now."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from text2mem.ir.record import Record
from text2mem.ir.segment import HAN
from text2mem.planner.edits.chinese import CHINESE
from text2mem.planner.edits.english import ENGLISH
from text2mem.planner.edits.exchange import bare, exchanged, expressions, replaced, valued
from text2mem.planner.edits.model import EditWords
from text2mem.planner.evidence import Kind
from text2mem.planner.grounding.words import content_words
from text2mem.planner.requests import Span, Step
from text2mem.planner.told import Told
from text2mem.planner.topics import topics

__all__ = ["Edited", "edits", "invented", "spans_of"]
Raw = dict[str, Any]
_QUOTE = re.compile(r"^[\"“”'‘「『].*[\"”'’」』][.。]?$", re.DOTALL)
_CLEARER = 1.2
"""How much more like a new text the one memory has to be that it is meant for."""
_SENTENCE = 4
"""From how many words on something said without marks may be the whole of a text."""


@dataclass(frozen=True, slots=True)
class Edited:
    """What is set, and of which of the memories; of all of them where ``chosen`` is None."""

    told: Told
    chosen: Record | None = None


@dataclass(frozen=True, slots=True)
class _Pair:
    """An old value and the new one; where both stand with the words between, and the new alone."""

    old: str
    new: str
    at: Span
    new_at: Span


def edits(step: Step, records: Sequence[Record]) -> Edited:
    """What a step tells of the new values; incomplete where the new text has to be written."""
    if step.flagged("restore"):
        return Edited(Told({"set": _restored(records)}))
    if step.flagged("cancel-expiry"):
        return Edited(Told({"set": {"expire_at": None}}))
    if step.flagged("cancel-reminder"):
        return Edited(Told({"set": {"remind": None}}))
    cancelled = _words(step).cancelled.search(step.words)
    if cancelled and cancelled.lastgroup:
        return Edited(Told({"set": {cancelled.lastgroup: None}}))
    fields, spans = _fields(step)
    if fields:
        return Edited(Told({"set": fields}, spans))
    return _text(step, records)


def spans_of(step: Step) -> tuple[Span, ...]:
    """Where a step tells what a memory is to say, so that it is not looked for.

    What changes may be all that it names: "change the flu shot to 10 June" is about the flu shot.
    """
    spans: list[Span] = []
    fields = _fields(step)[1]
    spans += fields or [span for _, span in _said(step)] or [span for _, span in _news(step)]
    pairs = [] if fields else _closest(list(_pairs(step)))
    spans += [pair.new_at for pair in pairs]
    known = [pair.at for pair in pairs if not topics(pair.old)]
    rest = _CALENDAR.sub("", step.rest([*spans, *known]))
    if content_words(rest) or step.own("pronoun"):
        spans += known
    return tuple(spans)


def _closest(pairs: Sequence[_Pair]) -> list[_Pair]:
    """Of pairs that overlap, the one with the shortest words."""
    kept: list[_Pair] = []
    for pair in sorted(pairs, key=lambda one: len(one.old)):
        if not any(one.at[0] < pair.at[1] and pair.at[0] < one.at[1] for one in kept):
            kept.append(pair)
    return kept


def _words(step: Step) -> EditWords:
    return CHINESE if HAN.search(step.words) else ENGLISH


def _restored(records: Sequence[Record]) -> Raw:
    out: Raw = {}
    if any(row.deleted for row in records):
        out["deleted"] = False
    if any(row.archived for row in records) or not out:
        out["archived"] = False
    return out


# --- fields --------------------------------------------------------------------------------


def _fields(step: Step) -> tuple[Raw, tuple[Span, ...]]:
    """The fields that a step sets, and where it names them and their values."""
    words, place = _words(step), step.clause.start
    out: Raw = {}
    spans: list[Span] = []
    for name, patterns in words.fields.items():
        found = next((m for pattern in patterns if (m := pattern.search(step.words))), None)
        if found is None:
            continue
        value: Any = bare(found["value"])
        if name == "time":
            value = _instant(step, place + found.start("value"), place + found.end("value"))
        if value:
            out[name] = value
            spans += [(place + found.start(), place + found.start("of")),
                      (place + found.end("of"), place + found.end("value"))]  # fmt: skip
    moments = step.own("moment", "deadline")
    if not out and len(moments) == 1 and (dated := words.dated.search(step.words)):
        out["time"] = moments[0].value
        spans += [(place + dated.start(), place + dated.end()), (moments[0].start, moments[0].end)]
    for mention in step.own("weight"):
        out["weight"] = mention.value
        spans.append((mention.start, mention.end))
    return out, tuple(spans)


def _instant(step: Step, start: int, end: int) -> str | None:
    """The moment that is said in a stretch."""
    for mention in step.own("moment", "deadline"):
        if mention.start < end and start < mention.end:
            return str(mention.value)
    return None


# --- text ----------------------------------------------------------------------------------


def _text(step: Step, records: Sequence[Record]) -> Edited:
    """An exchange within the text that is there, or the whole of what it is to say."""
    for pair in sorted(_pairs(step), key=lambda one: len(one.old)):
        changed = [(row, text) for row in records if (text := _changed(row, pair.old, pair.new))]
        if len(changed) == 1:
            return _edited(*changed[0], pair.new, pair.at)
    for new, span in _said(step):
        if len(records) == 1 and (text := _new_value(records[0], new, step)):
            return _edited(records[0], text, new, span)
        row = _likest(new, records)
        if _whole(new) and (row is not None or not records):
            return Edited(Told({"set": {"text": _sentence(_unquoted(new))}}, (span,)), row)
    for new, span in _news(step):
        changed = [(row, text) for row in records if (text := _new_value(row, new, step))]
        if len(changed) == 1:
            return _edited(*changed[0], new, span)
    return _only(step, records) or Edited(Told({}, spans_of(step), complete=False))


def _only(step: Step, records: Sequence[Record]) -> Edited | None:
    """An edit by the only date, time or amount that a step says and its memory does not."""
    if len(records) != 1:
        return None
    text, place = records[0].text, step.clause.start
    there = {(one.kind, one.value) for one in expressions(text)}
    told = [(m.start, m.end) for m in step.own(*_OF_TARGET)]
    new = [
        one
        for one in expressions(step.words)
        if (one.kind, one.value) not in there
        and not any(a < place + one.end and place + one.start < b for a, b in told)
        and step.words[one.start : one.end].casefold() not in text.casefold()
    ]
    if len(new) != 1:
        return None
    said = step.words[new[0].start : new[0].end]
    changed = replaced(text, said)
    return (
        _edited(records[0], changed, said, (place + new[0].start, place + new[0].end))
        if changed
        else None
    )


_OF_TARGET: tuple[Kind, ...] = ("window", "as_of", "age", "limit", "id", "tag", "facet", "duration")
"""What says which memory is meant, and not what it is to say."""


def _edited(row: Record, text: str, new: str, span: Span) -> Edited:
    if row.is_fact:
        return Edited(Told({"set": {"value": bare(new)}}, (span,)), row)
    if row.text[:1].isupper() and text[:1].islower():
        text = text[:1].upper() + text[1:]
    return Edited(Told({"set": {"text": text}}, (span,)), row)


def _new_value(row: Record, new: str, step: Step) -> str | None:
    """The text with a new value in the only place where it can go."""
    return replaced(row.text, new) or (
        None if _QUOTE.match(new.strip()) else valued(row.text, new, step.evidence.utterance)
    )


def _changed(row: Record, old: str, new: str) -> str | None:
    if row.is_fact and isinstance(row.value, str):
        return exchanged(row.value, old, new)
    if expressions(new) and not expressions(old) and (text := replaced(row.text, new)):
        return text  # "change the flu shot to 10 June": its date, and not its name
    return valued(row.text, new, bare(old)) or exchanged(row.text, old, new)


def _pairs(step: Step) -> Iterator[_Pair]:
    """Old and new values that the step names, and where."""
    place = step.clause.start
    for pattern in _words(step).pairs:
        for found in pattern.finditer(step.words):
            first, last = min(found.start("old"), found.start("new")), found.end()
            more, new = _split_late(found["new"])
            old = f"{found['old']} to {more}" if more else found["old"]
            new_at = (place + found.end("new") - len(new), place + found.end("new"))
            yield _Pair(old, new, (place + first, place + last), new_at)
    for found in _NOT.finditer(step.words):
        first = _before(step.words[: found.start()], found["old"])
        new_at = (place + first, place + found.start())
        new = step.words[first : found.start()].strip()
        yield _Pair(found["old"], new, (place + first, place + found.end()), new_at)


_CALENDAR = re.compile(r"\b(?:in|on) (?:my|our|the) (?:calendar|diary|planner)\b", re.IGNORECASE)
_TO_LAST = re.compile(r"(?P<old>.+)\s+to\s+(?P<new>.+)$", re.IGNORECASE)
_NOT = re.compile(
    r",?\s+(?:and |but )?(?:not|rather than|instead of|in place of)\s+(?P<old>[^,;!?]{1,40}?)"
    r"(?=[.,;!?]?\s*$|[.,;!?]\s)",
    re.IGNORECASE,
)


def _before(said: str, old: str) -> int:
    """Where the new value starts that stands at the end of what is said: an expression, or as many
    words as the old one has."""
    own = [one for one in expressions(said) if one.end == len(said.rstrip())]
    if own:
        return own[-1].start
    words = list(re.finditer(r"\S+", said))
    return words[-min(len(old.split()), len(words))].start() if words else 0


def _said(step: Step) -> Iterator[tuple[str, Span]]:
    """What a memory is to say as a whole."""
    yield from _matches(step, _words(step).says)


def _news(step: Step) -> Iterator[tuple[str, Span]]:
    """New values whose old ones are not named."""
    for words, (_, end) in _matches(step, _words(step).news):
        new = _split_late(words)[1]
        yield new, (end - len(new), end)


def _split_late(new: str) -> tuple[str, str]:
    """What a new value that begins too early has before it: "Nesodden to 9:15" is to be 9:15."""
    found = _TO_LAST.match(new)
    if found is None or not expressions(found["new"]) or expressions(found["old"]):
        return "", new
    return found["old"], found["new"]


def _matches(step: Step, patterns: Sequence[re.Pattern[str]]) -> Iterator[tuple[str, Span]]:
    place = step.clause.start
    names = [(m.start, m.end) for m in step.own("tag", "facet")]
    for pattern in patterns:
        for found in pattern.finditer(step.words):
            start, end = place + found.start("new"), place + found.end("new")
            if not any(first <= start and end <= last for first, last in names):
                yield found["new"], (start, end)


def _likest(new: str, records: Sequence[Record]) -> Record | None:
    """The memory that a new text is closest to; None where several are as close."""
    if len(records) <= 1:
        return records[0] if records else None
    said = _unquoted(new).casefold()
    like = {row.id: SequenceMatcher(None, said, row.text.casefold()).ratio() for row in records}
    ordered = sorted(records, key=lambda row: -like[row.id])
    clear = like[ordered[0].id] > _CLEARER * like[ordered[1].id]
    return ordered[0] if clear else None


def _whole(new: str) -> bool:
    """Whether a text is told as a whole: in quotation marks, or as a sentence."""
    if _QUOTE.match(new.strip()):
        return True
    return (bool(HAN.search(new)) and len(new) > 2 * _SENTENCE) or len(new.split()) >= _SENTENCE


def _unquoted(words: str) -> str:
    """Words without their quotation marks, with the stop that stands inside of them."""
    return words.strip().strip("\"'“”‘’「」『』").strip()


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    if " " in text and text[-1].isascii() and text[-1].isalnum():
        return f"{text}."
    return text


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
