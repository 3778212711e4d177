"""Check whether the lines of a context support an answer. Pure functions of texts."""

from __future__ import annotations

import re
import unicodedata
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
    """Whether a text contains a value, as it is written or as the same date."""
    written, folded = _folded(as_text(value)), _folded(text)
    if isinstance(value, str) and read_date(value) in _dates(text):
        return True
    if not written:
        return False
    # The value must not be part of a longer word or number.
    before = f"(?<!{_WORD})" if re.match(_WORD, written[0]) else ""
    after = f"(?!{_WORD})" if re.match(_WORD, written[-1]) else ""
    return re.search(f"{before}{re.escape(written)}{after}", folded) is not None


def bears_out(lines: str, text: str, question: str) -> bool:
    """Whether every word that an answer (``text``) adds to its question is in the lines, dates by
    the day.

    Only sentences that share a word with the question count, so a line that orders something to be
    said is no evidence of it. An answer that says nothing, or that has a negation while the lines
    have none, is not supported.
    """
    if denies(text) and not denies(lines):
        return False
    supported_days = _dates(lines)
    rest = text
    for start, end, day in reversed([*dates_in(text)]):
        if day not in supported_days:
            return False
        rest = f"{rest[:start]} {rest[end:]}"
    asked = set(index_terms(question))
    supported = asked.union(*map(index_terms, _about(lines, asked)))
    content_terms = 0
    for term in query_terms(rest):
        if term in GRAMMATICAL or alike(term, supported):
            content_terms += term not in GRAMMATICAL
        elif term.isascii() or not all(char in GRAMMATICAL or char in supported for char in term):
            return False  # a pair of Chinese characters counts if each of them is supported
    return content_terms > 0 or rest != text


def _about(lines: str, asked: set[str]) -> list[str]:
    """The sentences of the lines that share a content word with the question; all if none does. The
    head of a line (label, day and speaker) belongs to its first sentence."""
    sentences = []
    for line in lines.splitlines():
        head, mark, text = line.partition(": ")
        first, *others = _SENTENCES.split(text if mark else head)
        sentences += [f"{head}: {first}" if mark else first, *others]
    content = {term for term in asked if term not in GRAMMATICAL}
    sharing = [s for s in sentences if any(alike(term, content) for term in index_terms(s))]
    return sharing or sentences


def _dates(text: str) -> set[date]:
    return {day for _, _, day in dates_in(text)}


def _folded(text: str) -> str:
    """A text in lower case, normalised by NFKC, with single blanks."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
