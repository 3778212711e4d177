"""Texts fitted to what a model can read at once. Pure functions; sizes are in tokens.

A token is counted as four Latin characters or one CJK character. Digits and signs cost a real
tokenizer more, so whoever fills a model's context by this count keeps a third of it free.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from text2mem.ir.words.splitting import sentences

_LATIN = 4
_WORDS = re.compile(r"(.*\w)[\s,;:，；：、]", re.DOTALL)
_LEAST = 32
"""Less than this of a text says nothing; sooner than that, whole texts are left out."""


def wide(text: str) -> int:
    """How many characters are CJK ones, with their punctuation."""
    return sum(ord(character) > 0x2E7F for character in text)


def tokens(text: str) -> int:
    """About how many tokens a text has."""
    count = wide(text)
    return count + math.ceil((len(text) - count) / _LATIN)


def clipped(text: str, size: int) -> str:
    """The first sentences of a text; where not even one fits, the beginning of it."""
    text = text.strip()
    if tokens(text) <= size:
        return text
    text = text[: size * _LATIN]
    end = spent = 0
    for sentence in sentences(text)[:-1]:
        after = text.index(sentence, end) + len(sentence)
        spent += tokens(text[end:after])
        if spent > size:
            break
        end = after
    return text[:end] or _beginning(text, size)


def portions(texts: Sequence[str], size: int, most: int) -> list[list[str]]:
    """The texts in order, in at most ``most`` groups of at most ``size`` tokens.

    Space around a text is cut off. Where they are too long, short ones stay whole and long ones are
    clipped to equal shares; where such a share would say nothing, the last texts are left out.
    """
    texts = [text.strip() for text in texts]  # what is cut off anyway has no share
    wanted = [min(tokens(text), size) for text in texts]
    total, kept = size * most, len(texts)
    while True:
        given = _shares(wanted[:kept], total)
        if kept > 1 and any(g < min(w, _LEAST) for g, w in zip(given, wanted, strict=False)):
            kept = kept * 9 // 10
            continue
        groups = _grouped([clipped(t, s) for t, s in zip(texts, given, strict=False)], size)
        if len(groups) <= most:
            return groups
        total = total * 3 // 4  # what the ends of the groups leave free


def _beginning(text: str, size: int) -> str:
    """The words of ``size`` tokens at most, with an ellipsis for the rest of the text."""
    spent = 1
    for end, character in enumerate(text):
        spent += _LATIN * wide(character) or 1
        if spent > size * _LATIN:
            text = text[:end]
            break
    whole = _WORDS.match(text)
    return f"{whole[1] if whole else text}…"


def _shares(wanted: Sequence[int], total: int) -> list[int]:
    """What each gets of ``total``: what it wants where that is little, else an equal part."""
    given = [0] * len(wanted)
    for place, index in enumerate(sorted(range(len(wanted)), key=wanted.__getitem__)):
        given[index] = min(wanted[index], total // (len(wanted) - place))
        total -= given[index]
    return given


def _grouped(texts: Sequence[str], size: int) -> list[list[str]]:
    """Neighbours together, as long as they fit."""
    groups: list[list[str]] = []
    left = 0
    for text in texts:
        cost = tokens(text)
        if not groups or cost > left:
            groups.append([])
            left = size
        groups[-1].append(text)
        left -= cost
    return groups
