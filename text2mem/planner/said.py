"""Said: which words of a draft nobody has said."""

from __future__ import annotations

import re

from text2mem.ir.times.numerals import named_numbers
from text2mem.ir.words.segment import query_terms

_NOVEL = 0.34
"""The share of a text's terms that may be nobody's words: endings, or a word spelt out."""
_VALUE = re.compile(r"\d")


def novel(words: str, held: str) -> list[str]:
    """The terms of ``words`` that ``held`` does not say; empty where they are few and no values."""
    folded, known = held.casefold(), set(query_terms(held))
    terms = query_terms(words)
    fresh = [term for term in terms if term not in known and term not in folded]
    values = [term for term in fresh if _VALUE.search(term)]
    if values and named_numbers(words) <= named_numbers(held):
        # The same number in another form: "the twenty-third" and 23.
        fresh, values = [term for term in fresh if term not in values], []
    return fresh if values or len(fresh) > _NOVEL * len(terms) else []
