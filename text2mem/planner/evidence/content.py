"""What is only to be stored: the words after "remember that" and 记住, before "and tag it".

Such words are content: what they name is not asked for. New words of a memory ("so that it says
…", 改成…) are literal: nothing at all is read from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from text2mem.planner.evidence import content_en, content_zh
from text2mem.planner.evidence.content_en import Openings
from text2mem.planner.evidence.text import Span, Text, masked


def with_contents(text: Text) -> Text:
    """``text`` with its contents hidden from ``asked``, and literal words from ``open`` as well."""
    contents = tuple(_merged(_contents(text)))
    literals = tuple(_merged(_literals(text, contents)))
    return replace(
        text,
        open=masked(text.open, literals),
        asked=masked(text.asked, (*contents, *literals)),
        contents=contents,
    )


def _contents(text: Text) -> Iterator[Span]:
    for language in (content_en.OPENINGS, content_zh.OPENINGS):
        yield from _opened(text.open, language)
        for pattern in language.enclosed:
            for found in pattern.finditer(text.open):
                yield Span(*found.span("content"))
        for found in language.closed.finditer(text.open):
            before = _sentence_before(text.open, found.start(), language)
            if before is not None:
                yield before


def _opened(text: str, language: Openings) -> Iterator[Span]:
    found = [opener for pattern in language.openers for opener in pattern.finditer(text)]
    place = 0
    for opener in sorted(found, key=lambda one: (one.start(), -one.end())):
        if opener.start() < place:
            continue
        tail = language.tail.search(text, opener.end())
        place = tail.start() if tail else len(text)
        if place > opener.end():
            yield Span(opener.end(), place)


def _sentence_before(text: str, end: int, language: Openings) -> Span | None:
    """What stands before "…; store that", unless it asks for something itself."""
    first = language.preface.match(text)
    start = first.end() if first else 0
    if start >= end or language.asking.match(text, start):
        return None
    return Span(start, end)


def _literals(text: Text, contents: tuple[Span, ...]) -> Iterator[Span]:
    for language in (content_en.OPENINGS, content_zh.OPENINGS):
        for pattern in language.literals:
            for found in pattern.finditer(text.open):
                for name in ("old", "new"):
                    if name in pattern.groupindex and found[name]:
                        span = Span(*found.span(name))
                        if not any(one.meets(span.start, span.end) for one in contents):
                            yield span


def _merged(spans: Iterable[Span]) -> Iterator[Span]:
    last: Span | None = None
    for span in sorted(spans, key=lambda one: one.start):
        if last is None or span.start > last.end:
            if last is not None:
                yield last
            last = span
        else:
            last = Span(last.start, max(last.end, span.end))
    if last is not None:
        yield last
