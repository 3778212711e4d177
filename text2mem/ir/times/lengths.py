"""How long a digest should be: "in two lines", 一句话, "100 words", as tokens."""

from __future__ import annotations

import re

from text2mem.ir.times.temporal_en_lengths import spelt
from text2mem.ir.times.temporal_zh import number
from text2mem.ir.words.folding import fold
from text2mem.ir.words.segment import HAN

_SIZES = {
    "line": 24, "sentence": 32, "bullet": 24, "point": 24, "paragraph": 120, "page": 500,
    "word": 1.5, "character": 0.4, "item": 24,
    "句": 32, "行": 24, "条": 24, "点": 24, "段": 120, "页": 500, "字": 1.0,
}  # fmt: skip
"""Tokens of one unit, about."""
_UNITS = "|".join(_SIZES)
_ENGLISH = re.compile(
    rf"(?<![\d.])\b(?P<n>\d{{1,6}}|an?|a couple of|a few)[\s-]{{1,3}}(?:short |brief |single )?"
    rf"(?P<unit>{_UNITS})s?\b"
)
_CHINESE = re.compile(
    rf"(?<![\d.])(?P<n>\d{{1,6}}|[一二两三四五六七八九十百]{{1,9}}|几)\s?个?(?:小|短)?(?P<unit>{_UNITS})"
)
_VAGUE = {"a": 1, "an": 1, "a couple of": 2, "a few": 3, "几": 3}
_LEAST = 8


def token_bound(words: str) -> int | None:
    """The bound that words set on a digest; None where they name no measure."""
    if not words:
        return None
    text = fold(words)
    chinese = HAN.search(text) is not None
    found = (_CHINESE if chinese else _ENGLISH).search(text if chinese else spelt(text))
    if found is None:
        return None
    try:
        count = _VAGUE.get(found["n"]) or number(found["n"])
    except ValueError:  # characters of numerals that make none
        return None
    return max(_LEAST, round(count * _SIZES[found["unit"]]))
