"""Whether lines bear out what an answer says. Pure functions of texts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from datetime import date
from typing import Any

from text2mem.ir.times.written_dates import dates_in, read_date
from text2mem.ir.values import as_text
from text2mem.ir.words.likeness import alike
from text2mem.ir.words.mentions import denies
from text2mem.ir.words.segment import GRAMMATICAL, index_terms, query_terms

_WORD = "[0-9A-Za-z]"
_SENTENCES = re.compile(r"(?<=[.!?;:])\s+|[。！？；：]")


def says(text: str, value: Any) -> bool:
    """Whether a text says a value: as it is written, or as the same day."""
    written, said = _folded(as_text(value)), _folded(text)
    day = read_date(as_text(value)) if isinstance(value, str) else None
    if day is not None and day in set(_dates(text)):
        return True
    if not written:
        return False
    # No character may continue the word or number that stands at either end.
    before = f"(?<!{_WORD})" if re.match(_WORD, written[0]) else ""
    after = f"(?!{_WORD})" if re.match(_WORD, written[-1]) else ""
    return re.search(f"{before}{re.escape(written)}{after}", said) is not None


def bears_out(lines: str, text: str, question: str) -> bool:
    """Whether every word that an answer adds to its question stands in the lines, dates by the day.

    An answer that says nothing, or denies what no line denies, is not borne out. Neither is one
    whose words stand in no sentence that the question speaks of: a line that gives orders about
    its topic is no evidence of what it orders to be said.
    """
    if denies(text) and not denies(lines):
        return False
    held_days = set(_dates(lines))
    rest = text
    for start, end, day in reversed([*dates_in(text)]):
        if day not in held_days:
            return False
        rest = f"{rest[:start]} {rest[end:]}"
    asked = set(index_terms(question))
    held = asked.union(*map(index_terms, _about(lines, asked)))
    added = 0
    for term in query_terms(rest):
        if term in GRAMMATICAL or alike(term, held):
            added += term not in GRAMMATICAL
        elif term.isascii() or not all(char in GRAMMATICAL or char in held for char in term):
            return False  # of a pair of Chinese characters each is plain or stands in the lines
    return added > 0 or rest != text


def _about(lines: str, asked: set[str]) -> list[str]:
    """The sentences of lines that share a telling word with the question; all, where none does.

    The head of a line, which says whose it is, counts as part of its first sentence.
    """
    sentences = []
    for line in lines.splitlines():
        head, mark, text = line.partition(": ")
        first, *others = _SENTENCES.split(text if mark else head)
        sentences += [f"{head}: {first}" if mark else first, *others]
    telling = {term for term in asked if term not in GRAMMATICAL}
    found = [each for each in sentences if any(alike(t, telling) for t in index_terms(each))]
    return found or sentences


def _dates(text: str) -> Iterator[date]:
    return (day for _, _, day in dates_in(text))


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
