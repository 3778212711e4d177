"""Correct figures that a model wrote for numbers that were spelt out: €3,500 for "three thousand
fifty", 772 for "seventy-seven oh two". The words of the person tell the right number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import partial

from text2mem.ir.times.numerals import figure_by_figure, named_numbers, spelt_numbers

_FIGURE = re.compile(
    r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?![\w.])|(?<![\w.,])\d{2,12}(?!\w|[.,]\d)", re.ASCII
)
_ALIKE = 0.6
"""The least similarity of two rows of figures at which one counts as a wrong form of the other."""


def mended(words: str, said: str, held: str) -> str:
    """Return ``words``, which a model wrote, with wrong figures corrected.

    A figure is wrong if neither the request ``said`` nor the memory's text ``held`` names it. It
    becomes the most similar number that ``said`` spells out and ``words`` lacks, if one is.
    """
    named = named_numbers(" ".join((said, held)))
    spelt = {number for number in _spelt(said) if number not in words.replace(",", "")}

    def mend(found: re.Match[str]) -> str:
        figures = found[0].replace(",", "")
        if float(figures) in named:
            return found[0]
        # How alike two rows of figures are, from 0 to 1.
        alike = partial(SequenceMatcher, None, figures, autojunk=False)
        near = sorted((alike(number).ratio(), number) for number in spelt)
        if not near or near[-1][0] < _ALIKE or (len(near) > 1 and near[-2][0] == near[-1][0]):
            return found[0]
        return f"{int(near[-1][1]):,}" if "," in found[0] else near[-1][1]

    return _FIGURE.sub(mend, words)


def _spelt(said: str) -> Iterator[str]:
    """Yield the whole numbers that a text spells out, and those that it says figure by figure."""
    yield from (str(int(number)) for number in spelt_numbers(said) if number.is_integer())
    yield from figure_by_figure(said)
