"""What an Encode stores: what was said without the words that ask for it, and what is told of it.

Nothing is made up: the text is the speaker's own, its tags are the ones named or its own words.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from text2mem.ir.segment import HAN
from text2mem.ir.temporal import format_instant
from text2mem.planner.content.chinese import CHINESE
from text2mem.planner.content.english import ENGLISH
from text2mem.planner.content.keyphrases import keyphrases
from text2mem.planner.content.model import ContentWords
from text2mem.planner.evidence.reading import as_text
from text2mem.planner.grounding.words import content_words
from text2mem.planner.requests import Span, Step

__all__ = ["fact_of", "keyphrases", "of_turn", "said", "stored"]
Raw = dict[str, Any]
_QUOTED = re.compile(r"^[\"“'‘「『](?P<words>[^\"”」』]*)[\"”'’」』][.。]?$")
_REFERENCE = re.compile(
    r"^(?:it|this|that|them|these|those|the (?:above|following))?\W*$|^(?:它们?|这个?|那个?|这条|"
    r"那条|这件事|"
    r"这些|以上内容?|一起)?\W*$",
    re.IGNORECASE,
)
_LEAST_SENTENCE = 3


def stored(step: Step, now: datetime, earlier: str = "") -> Raw | None:
    """The args of an Encode; None where the step does not say what to store.

    ``earlier`` is what was stated in the turn before, which the step may only tell to keep.
    """
    words = _words(step.words)
    text, span = said(step)
    answer = words.reply.match(step.words) if earlier else None
    from_before = not text or bool(_REFERENCE.match(text))
    if answer is not None:
        from_before = from_before or bool(words.keeps.search(step.words, answer.end() - 1))
    if from_before:
        text, span = earlier.strip(), (step.clause.start, step.clause.start)
    if not text:
        return None
    titled = words.titled.match(text)
    text = text[titled.end() :] if titled else text
    fact = fact_of(text)
    args: Raw = {"payload": {"structured": fact} if fact else {"text": _sentence(text)}}
    if titled:
        args |= (
            {"type": titled["kind"].lower()} if titled["kind"] else {"location": titled["place"]}
        )
    args |= _told(step, words, span, from_before)
    if not fact and "tags" not in args and (tags := keyphrases(text)):
        args["tags"] = tags
    past = [m for m in step.own("moment") if m.value <= format_instant(now)]
    if past and not fact:
        args["time"] = past[0].value
    return args


def said(step: Step) -> tuple[str, Span]:
    """What a step asks to store, and where it stands; empty where nothing is left of it."""
    words = _words(step.words)
    start, end = step.request[1] if step.head.end else step.clause.start, step.clause.end
    for span in as_text(step.evidence.utterance).contents:
        first, last = max(span.start, step.clause.start), min(span.end, step.clause.end)
        if first < last:
            start, end = first, last
            break
    for condition in step.own("condition"):
        if condition.start <= start < condition.end:
            start = condition.end
    text = step.evidence.utterance[start:end] + _more(step, words, end)
    stripped = _stripped(text, words)
    if _REFERENCE.match(stripped) and (before := _said_before(step)):
        start, end = before
        stripped = _stripped(step.evidence.utterance[start:end], words)
    quoted = _QUOTED.match(stripped)
    return (quoted["words"] if quoted else stripped), (start, end)


def _stripped(text: str, words: ContentWords) -> str:
    return words.trailing.sub("", words.leading.sub("", text).strip()).strip()


def _said_before(step: Step) -> Span | None:
    """What the same clause says before it asks to keep it, conditions left out."""
    conditions = [m.end for m in step.own("condition")]
    start = max([step.clause.start, *conditions])
    end = step.request[0] if step.head.end else start
    return (start, end) if content_words(step.evidence.utterance[start:end]) else None


def _more(step: Step, words: ContentWords, end: int) -> str:
    """What follows the content and tells no argument: 把邮件存一下，主题是‘报价’."""
    kept = ""
    for piece in _PIECE.finditer(step.evidence.utterance, end, step.clause.end):
        inside = [m for m in step.own() if piece.start() <= m.start < piece.end()]
        tells = any(m.kind not in _SAID for m in inside) or words.type.search(piece["words"])
        tells = tells or words.location.search(piece["words"])
        if not tells and any(not word.weak for word in content_words(piece["words"])):
            kept += piece[0]
    return kept


_PIECE = re.compile(r"[,，;；]\s*(?P<words>[^,，;；。.!！?？\n]+)")
_SAID = frozenset({"quote", "moment", "window", "limit", "order", "focus", "words"})
"""Mentions that may stand in what is stored."""


def of_turn(text: str) -> str:
    """What an earlier turn stated: itself, unless it asks something."""
    said_ = text.strip()
    return "" if said_.endswith(("?", "？", "吗", "呢")) else said_


def fact_of(text: str) -> Raw | None:
    """Subject, attribute and value of a text that states one ("Ann's city is Paris")."""
    words = _words(text)
    found = next((m for pattern in words.facts if (m := pattern.match(text))), None)
    if found is None or words.nobody.match(found["subject"]):
        return None
    return {name: found[name].strip() for name in ("subject", "attribute", "value")}


def _words(text: str) -> ContentWords:
    return CHINESE if HAN.search(text) else ENGLISH


def _told(step: Step, words: ContentWords, content: Span, from_before: bool) -> Raw:
    """What the words around the content tell of the memory."""
    rest = _around(step, content)
    args: Raw = {}
    tags = [m.value["name"] for m in step.own("tag") if not _inside(m.start, content)]
    if not tags and _TAGGED.search(rest):
        tags = [m.value for m in step.own("quote") if not _inside(m.start, content)]
    if tags:
        args["tags"] = tags
    facets = {
        m.value["key"]: m.value["value"] for m in step.own("facet") if not _inside(m.start, content)
    }
    if facets:
        args["facets"] = facets
    if kind := words.type.search(rest):
        args["type"] = kind["value"] or kind["other"]
    place = words.reply.search(step.words) if from_before else None
    place = place or words.location.search(rest)
    if place:
        args["location"] = place["value"].strip()
    ends = [m for m in step.own("deadline") if not _inside(m.start, content)]
    if ends:
        args["expire_at"] = ends[0].value
    return args


_TAGGED = re.compile(r"\b(?:tags?|labels?)\b|标签", re.IGNORECASE)


def _around(step: Step, content: Span) -> str:
    """The clause with its content and its mentions masked."""
    return step.masked([content, *((m.start, m.end) for m in step.own() if m.kind in _NAMED)])


_NAMED = frozenset({"tag", "facet", "moment", "deadline", "duration", "condition", "quote"})


def _inside(place: int, span: Span) -> bool:
    return span[0] <= place < span[1]


def _sentence(text: str) -> str:
    """A text with the form of a sentence, where it is one."""
    if text[:1].isascii():
        text = text[:1].upper() + text[1:]
    words = _words(text)
    whole = len(text.split()) >= _LEAST_SENTENCE or (
        words is CHINESE and len(text) > _LEAST_SENTENCE
    )
    ended = not text[-1:].isalnum() and text[-1:] not in "%）)"
    return text if ended or not whole else text + words.stop
