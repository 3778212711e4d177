"""Figures that were said in words, where a reader has written them down wrong.

"Three thousand fifty" becomes €3,500, "seventy-seven oh two" 772: a small model hears a number and
slips in its figures. What was said tells what is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from text2mem.ir.times.numerals import figure_by_figure, named_numbers, spelt_numbers

_FIGURE = re.compile(
    r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?![\w.])|(?<![\w.,])\d{2,12}(?!\w|[.,]\d)", re.ASCII
)
_ALIKE = 0.6
"""How much of two rows of figures has to be the same, where one is a slip of the other."""


def mended(words: str, said: str, held: str) -> str:
    """``words`` with every figure that neither ``said`` nor ``held`` has put right, where the one
    number nearest to it was said in words, and stands nowhere in them."""
    told = named_numbers(" ".join((said, held)))
    spelt = {each for each in _spelt(said) if each not in words.replace(",", "")}

    def mend(found: re.Match[str]) -> str:
        figures = found[0].replace(",", "")
        if float(figures) in told:
            return found[0]
        near = sorted((_alike(figures, each), each) for each in spelt)
        if not near or near[-1][0] < _ALIKE or (len(near) > 1 and near[-2][0] == near[-1][0]):
            return found[0]
        return f"{int(near[-1][1]):,}" if "," in found[0] else near[-1][1]

    return _FIGURE.sub(mend, words)


def _alike(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def _spelt(said: str) -> Iterator[str]:
    """The numbers of a text that are spelt out, and those that are said figure by figure."""
    yield from (str(int(number)) for number in spelt_numbers(said) if number.is_integer())
    yield from figure_by_figure(said)
