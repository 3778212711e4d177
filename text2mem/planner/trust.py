"""Trust: how likely what a tuned reader wrote is what was meant.

Of the memories that it picked three witnesses are weighed: how certain the reader was of them, how
well the words of the request, by themselves, fit them, and how much better than any other memory
(``training/trusting.py``). Of an edit there are two: how certain it was of the words that go, and
of those that come (``training/wording.py``). Of an undo there are two: the request with its turns
and without them (``training/alone.py``). The weights are a logistic regression's.
"""

from __future__ import annotations

import math

from text2mem.ir.words.likeness import dot, logistic
from text2mem.planner.alone_weights import UNDOES
from text2mem.planner.reader_limits import Weights
from text2mem.planner.wording_weights import WORDS

_MOST, _MOST_OF_UNDO = 3.0, 9.0
"""How many log-odds a witness has at most: what is not told counts as certain."""


def odds(probability: float, most: float = _MOST) -> float:
    """The log-odds of a probability, cut at ``most``."""
    least = 1 / (1 + math.exp(most))
    kept = min(max(probability, least), 1 - least)
    return math.log(kept / (1 - kept))


def undo_odds(within: float, alone: float) -> tuple[float, float, float]:
    """What is weighed of an undo, by how likely it is with the turns before and without them."""
    return 1.0, odds(within, _MOST_OF_UNDO), odds(alone, _MOST_OF_UNDO)


def undoes(within: float, alone: float) -> bool:
    """Whether an undo is meant."""
    return dot(UNDOES, undo_odds(within, alone)) > 0


def word_odds(go: float, come: float) -> tuple[float, float, float]:
    """What is weighed of an edit, by how certain the reader was of either words."""
    return 1.0, odds(go), odds(come)


def well_worded(go: float, come: float) -> float:
    """How likely an edit is the one that is meant."""
    return logistic(dot(WORDS, word_odds(go, come)))


def trusted(weights: Weights, picked: float, heard: float, apart: float) -> float:
    """How likely the memories are the right ones, by the reader, and by the request's own words:
    of themselves, and beside any other memory (in log-odds)."""
    bias, by_reader, by_words, by_others = weights
    return logistic(bias + by_reader * odds(picked) + by_words * odds(heard) + by_others * apart)
