"""Said: which words of a draft nobody has said, and which numbers that were said it has lost."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from text2mem.editing.kinds import CLOCKS, EARLY, is_code, said_in
from text2mem.ir.times.clock_times import time_of_day
from text2mem.ir.times.numerals import named_numbers
from text2mem.ir.words.folding import fold
from text2mem.ir.words.segment import query_terms

_NOVEL = 0.34
"""The share of a text's terms that may be unsaid, such as other endings or words spelt out."""
_VALUE = re.compile(r"\d")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_CODE = re.compile(r"(?=[^\W\d_]*\d)(?=\d*[^\W\d_])[^\W_]+")
_MARKS = re.compile(r"[!#$%&*+=@~^_-]+(?=[\s.,;:?。，；？]|$)")
"""Marks that may end a code. A question mark ends the request."""
_FIGURES = re.compile(r"\d(?:[ -]?\d)+")
_RANGE = re.compile(r"\d{1,2}[ -]\d{1,2}")
"""Two short numbers, such as "10-18" or "14 30"."""


def as_said(words: str, said: str) -> str:
    """``words`` with the accents, and the marks at the end of a code, that the request writes."""
    spelt = {_plain(found[0]): found[0] for found in _WORD.finditer(said)}

    def word(found: re.Match[str]) -> str:
        other = spelt.get(_plain(found[0]), found[0])
        return other if other.casefold() != found[0].casefold() else found[0]

    def code(found: re.Match[str]) -> str:
        at = said.find(found[0])
        marks = _MARKS.match(said, at + len(found[0])) if at >= 0 else None
        return found[0] + (
            marks[0] if marks and not words.startswith(marks[0], found.end()) else ""
        )

    return _WORD.sub(word, _CODE.sub(code, words))


def loses_a_number(said: str, written: str) -> bool:
    """Whether a long number is not written, nor another one as long ("3054, no, 3055")."""
    asked, kept = ({*_numbers(text)} for text in (said, written))
    lengths = {len(number) for number in kept}
    return any(is_code(each) and len(each) not in lengths for each in asked - kept)


def _numbers(text: str) -> Iterator[str]:
    """The digits of each number, with those that are written in groups as one."""
    for number in _FIGURES.findall(text):
        if not _RANGE.fullmatch(number):
            yield re.sub(r"\D", "", number)


def _plain(word: str) -> str:
    """A word in lower case and without accents."""
    decomposed = unicodedata.normalize("NFD", word.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def novel(words: str, held: str) -> list[str]:
    """The terms of ``words`` that ``held`` does not say; none if they are few and hold no value."""
    folded, known = held.casefold(), set(query_terms(held))
    terms = query_terms(words)
    fresh = [term for term in terms if term not in known and term not in folded]
    values = [term for term in fresh if _VALUE.search(term)]
    if values and named_numbers(words) <= named_numbers(held) | set(_of_clocks(held)):
        # The same number in another form: "the twenty-third" and 23.
        fresh, values = [term for term in fresh if term not in values], []
    return fresh if values or len(fresh) > _NOVEL * len(terms) else []


def _of_clocks(held: str) -> Iterator[float]:
    """The hours and minutes of the times of the day in a text: of "half past seven" 7, 19, 30."""
    for words in {*said_in(held, CLOCKS)}:
        at = time_of_day(fold(words), EARLY)
        if at is not None:
            yield from (at.hour, at.hour % 12, at.hour % 12 + 12, at.minute)
