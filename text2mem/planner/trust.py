"""Trust: how likely a step is right that picks memories, by everything that is known of it.

Four witnesses are weighed: the reader's own certainty of the op and of the memories, its second
reading, and how well the words of the request, by themselves, fit the memories. The weights are a
logistic regression's (``training/trusting.py``).
"""

from __future__ import annotations

import math

from text2mem.planner.reader_limits import Weights

_MOST = 7.0


def odds(probability: float) -> float:
    """The log-odds of a probability, cut at one in a thousand."""
    least = 1 / (1 + math.exp(_MOST))
    kept = min(max(probability, least), 1 - least)
    return math.log(kept / (1 - kept))


def trusted(weights: Weights, op: float, again: float, picked: float, heard: float) -> float:
    """How likely the step is right: of the op (both readings), the memories, and the words."""
    bias, *each = weights
    told = (op, again, picked, heard)
    score = bias + sum(w * odds(one) for w, one in zip(each, told, strict=True))
    return 1 / (1 + math.exp(-score))
