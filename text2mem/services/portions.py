"""Fit texts to the context of a model. Pure functions; sizes are in tokens.

The number of tokens is an estimate: four Latin characters, or one CJK character, count as one.
Digits and signs take more in a real tokenizer, so a caller should keep a third of the context free.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import accumulate

from text2mem.ir.words.splitting import sentences

_LATIN = 4
_WORDS = re.compile(r"(.*\w)[\s,;:，；：、]", re.DOTALL)
_LEAST = 32
"""The fewest tokens to which a text is clipped, before whole texts are left out."""


def wide(text: str) -> int:
    """Return the number of CJK characters of a text, with their punctuation."""
    return sum(ord(character) > 0x2E7F for character in text)


def tokens(text: str) -> int:
    """Return the estimated number of tokens of a text."""
    count = wide(text)
    return count + math.ceil((len(text) - count) / _LATIN)


def clipped(text: str, size: int) -> str:
    """Return the first sentences of a text that fit. If not even one does, its first words."""
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
    """Return the texts, stripped, in their order, in ``most`` groups at most of ``size`` tokens.

    If they are too long, short ones stay whole and long ones are clipped to equal shares. If a
    share would be too small, the last texts are left out.
    """
    texts = [text.strip() for text in texts]
    lengths = [min(tokens(text), size) for text in texts]
    total, kept = size * most, len(texts)
    while True:
        shares = _shares(lengths[:kept], total)
        if kept > 1 and any(s < min(n, _LEAST) for s, n in zip(shares, lengths, strict=False)):
            kept = kept * 9 // 10
            continue
        groups = _grouped([clipped(t, s) for t, s in zip(texts, shares, strict=False)], size)
        if len(groups) <= most:
            return groups
        total = total * 3 // 4  # groups are not filled to their ends, so take less in all


def _beginning(text: str, size: int) -> str:
    """The first words of a text, up to ``size`` tokens, and an ellipsis."""
    spent = accumulate(_LATIN * wide(character) or 1 for character in text)
    text = text[: sum(quarters < size * _LATIN for quarters in spent)]
    whole = _WORDS.match(text)
    return f"{whole[1] if whole else text}…"


def _shares(wanted: Sequence[int], total: int) -> list[int]:
    """Share ``total`` tokens: its length each, or an equal share of the rest if less."""
    given = [0] * len(wanted)
    for place, index in enumerate(sorted(range(len(wanted)), key=wanted.__getitem__)):
        given[index] = min(wanted[index], total // (len(wanted) - place))
        total -= given[index]
    return given


def _grouped(texts: Sequence[str], size: int) -> list[list[str]]:
    """The texts in groups of neighbours, each as large as ``size`` allows."""
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
