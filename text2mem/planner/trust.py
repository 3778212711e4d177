"""Trust: how likely the memories are the right ones that a reader picked for a step.

Three witnesses are weighed: how certain the reader was of them, how well the words of the request,
by themselves, fit them, and how much better than any other memory. The weights are a logistic
regression's (``training/trusting.py``).
"""

from __future__ import annotations

import math

from text2mem.planner.reader_limits import Weights

_MOST = 3.0


def odds(probability: float) -> float:
    """The log-odds of a probability, cut at one in twenty: what is not told counts as certain."""
    least = 1 / (1 + math.exp(_MOST))
    kept = min(max(probability, least), 1 - least)
    return math.log(kept / (1 - kept))


def trusted(weights: Weights, picked: float, heard: float, apart: float) -> float:
    """How likely the memories are the right ones, by the reader, and by the request's own words:
    of themselves, and beside any other memory (in log-odds)."""
    bias, by_reader, by_words, by_others = weights
    score = bias + by_reader * odds(picked) + by_words * odds(heard) + by_others * apart
    return 1 / (1 + math.exp(-score))
