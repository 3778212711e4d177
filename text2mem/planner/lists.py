"""Lists: a memory that counts things up under a head, and the one thing of it that words name."""

from __future__ import annotations

import re

from text2mem.ir.words.segment import HAN, index_terms, query_terms

_HEADED = re.compile(r"(?P<head>[^:：,，、;；.。]{1,40})[:：](?!\d)\s*(?P<rest>.+)", re.DOTALL)
_BETWEEN = re.compile(r"[,，、;；\n]")
_LEAST = 3
_WORDS, _CHARACTERS = 4, 8
"""How long an item may be; a longer one tells of something."""


def item_of(text: str, words: str) -> str | None:
    """The item of a list that words name and nothing else of it, as the text writes it; None where
    a text is no list, or words name more or less.

    What follows a head and is longer than an item tells of the first thing: "Gift: the blue plate,
    wrapped, in the cupboard of my office" is no list, and whoever names the plate means the memory.
    """
    found = _HEADED.match(text)
    if found is None:
        return None
    items = [each.strip(" \t.。") for each in _BETWEEN.split(found["rest"])]
    terms = set(query_terms(words))
    if len(items) < _LEAST or not terms or not terms.isdisjoint(index_terms(found["head"])):
        return None
    named = [each for each in items if terms <= set(index_terms(each))]
    if len(named) != 1 or not _short(named[0]) or text.count(named[0]) != 1:
        return None
    return named[0] if named[0] != items[0] or all(map(_short, items)) else None


def _short(item: str) -> bool:
    return len(item) <= _CHARACTERS if HAN.search(item) else len(item.split()) <= _WORDS
