"""Trust: the probability that what a tuned reader wrote is what was meant.

Each is a logistic regression over log-odds, fitted by ``training/trusting.py`` (picked memories),
``training/wording.py`` (the words of an edit) or ``training/alone.py`` (an undo).
"""

from __future__ import annotations

import math

from text2mem.ir.words.likeness import dot, logistic
from text2mem.planner.alone_weights import UNDOES
from text2mem.planner.reader_limits import Weights
from text2mem.planner.wording_weights import WORDS

_MOST, _MOST_OF_UNDO = 3.0, 9.0
"""The limits at which log-odds are clipped, since a certainty that is not known counts as 1."""


def odds(probability: float, most: float = _MOST) -> float:
    """The log-odds of a probability, clipped to ± ``most``."""
    least = 1 / (1 + math.exp(most))
    kept = min(max(probability, least), 1 - least)
    return math.log(kept / (1 - kept))


def undo_odds(within: float, alone: float) -> tuple[float, float, float]:
    """The features of an undo: a constant, and its log-odds with the turns and without them."""
    return 1.0, odds(within, _MOST_OF_UNDO), odds(alone, _MOST_OF_UNDO)


def undoes(within: float, alone: float) -> bool:
    """Whether an undo is meant, by its probabilities with the turns and without them."""
    return dot(UNDOES, undo_odds(within, alone)) > 0


def word_odds(go: float, come: float) -> tuple[float, float, float]:
    """The features of an edit: a constant, and the log-odds of its old and its new words."""
    return 1.0, odds(go), odds(come)


def well_worded(go: float, come: float) -> float:
    """The probability that an edit is meant as worded, given that of its old and new words."""
    return logistic(dot(WORDS, word_odds(go, come)))


def trusted(weights: Weights, picked: float, borne_out: float, margin: float) -> float:
    """The probability that memories are meant: ``picked`` and ``borne_out`` are those by the reader
    and by the request's words, ``margin`` the lead over any other memory in log-odds."""
    bias, by_reader, by_words, by_others = weights
    return logistic(
        bias + by_reader * odds(picked) + by_words * odds(borne_out) + by_others * margin
    )
