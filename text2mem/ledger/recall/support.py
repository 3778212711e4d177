"""Whether lines bear out what an answer says. Pure functions of texts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from datetime import date
from typing import Any

from text2mem.ir.segment import index_terms, query_terms
from text2mem.ir.values import as_text
from text2mem.ir.written_dates import read_date
from text2mem.ledger.recall.attributes import stem

_MONTHS = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    "|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_DATES = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{4}年\d{1,2}月\d{1,2}[日号]"
    rf"|\d{{1,2}}(?:st|nd|rd|th)? (?:of )?(?:{_MONTHS})\.?,? \d{{4}}"
    rf"|(?:{_MONTHS})\.? \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}",
    re.IGNORECASE,
)
_NEGATED = re.compile(r"\b(?:not|no|never|none|neither|cannot|without)\b|n't\b|[不没未无非]")
_UNKNOWN = re.compile(
    r"(?:i |we )?(?:do not|don't|dont|cannot|can't) (?:know|tell|say|find)|unknown|not known"
    r"|no (?:information|idea|answer)|(?:is|are|was) not (?:known|mentioned|stated|given|specified)"
    r"|不知道|不清楚|未知|没有(?:提到|提及|相关|记录|说明|信息)|无法(?:确定|回答|得知)",
    re.IGNORECASE,
)
_PLAIN_WORDS = """
is are was were be been has have had the a an and or of to in on at by for since from until that it
its their they he she his her him them there currently now then as with name named called lives
live works work say said line user number value current must can will does do only also yes s t
"""
_PLAIN = frozenset(_PLAIN_WORDS.split())
_PLAIN_ZH = frozenset(
    "的是在了和与有为住叫从起到对会用现目前当时自开始人名她他它这那就也都以及年月日号"
)


def says(text: str, value: Any) -> bool:
    """Whether a text says a value: as it is written, or as the same day."""
    written, said = _folded(as_text(value)), _folded(text)
    day = read_date(as_text(value)) if isinstance(value, str) else None
    if day is not None and day in set(_dates(text)):
        return True
    if not written:
        return False
    at = said.find(written)
    while at >= 0:
        around = said[at - 1 : at] if at else "", said[at + len(written) : at + len(written) + 1]
        if not any(_joined(end, side) for end, side in zip((written[0], written[-1]), around,
                                                           strict=True)):  # fmt: skip
            return True
        at = said.find(written, at + 1)
    return False


def bears_out(lines: str, text: str, question: str) -> bool:
    """Whether every word that an answer adds to its question stands in the lines, dates by the day.

    An answer that says nothing, or denies what no line denies, is not borne out.
    """
    if _NEGATED.search(_folded(text)) and not _NEGATED.search(_folded(lines)):
        return False
    held_days = set(_dates(lines))
    rest = text
    for found in _DATES.finditer(text):
        day = read_date(found[0])
        if day is None or day not in held_days:
            return False
        rest = rest.replace(found[0], " ")
    held = {stem(term) for term in (*index_terms(lines), *index_terms(question))}
    added = 0
    for term in query_terms(rest):
        if term in _PLAIN or stem(term) in held:
            added += term not in _PLAIN
        elif not _made_of(term, held):
            return False
    return added > 0 or rest != text


def is_unknown(text: str) -> bool:
    """Whether an answer says that it is not known."""
    return not text.strip() or _UNKNOWN.search(text) is not None


def _made_of(term: str, held: set[str]) -> bool:
    """Whether of a pair of Chinese characters each is plain or stands in the lines."""
    return not term.isascii() and all(char in _PLAIN_ZH or char in held for char in term)


def _dates(text: str) -> Iterator[date]:
    for found in _DATES.finditer(text):
        day = read_date(found[0])
        if day is not None:
            yield day


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _joined(end: str, side: str) -> bool:
    """Whether a character continues the word or number that ends there."""
    return bool(side) and end.isascii() and side.isascii() and end.isalnum() and side.isalnum()
