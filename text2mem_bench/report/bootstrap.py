"""A paired bootstrap interval of a mean difference (Efron & Tibshirani 1993, chapter 13).

The same seed gives the same interval whether numpy is there or not: both read their resamples
from one stream of random bytes.
"""

from __future__ import annotations

import random
import sys
from array import array
from collections.abc import Iterator, Sequence

RESAMPLES = 10_000
LEVEL = 0.95
_WORD = 4
_AT_ONCE = 1 << 20
"""About how many indices are drawn at once: four megabytes."""


def interval(
    differences: Sequence[float], *, seed: int = 0, resamples: int = RESAMPLES
) -> tuple[float, float]:
    """The percentile interval at ``LEVEL`` of the mean of paired differences.

    Raises ValueError where there are none.
    """
    if not differences:
        raise ValueError("there is no interval of no pairs")
    means = sorted(_means(differences, seed, resamples))
    outside = round((1 - LEVEL) / 2 * resamples)
    return round(means[outside], 12), round(means[-1 - outside], 12)


def _means(differences: Sequence[float], seed: int, resamples: int) -> Iterator[float]:
    size = len(differences)
    source = random.Random(seed)
    means = _with_numpy if _numpy_is_there() else _without_numpy
    rows = max(1, _AT_ONCE // size)
    for begun in range(0, resamples, rows):
        drawn = source.randbytes(_WORD * size * min(rows, resamples - begun))
        yield from means(differences, drawn)


def _with_numpy(differences: Sequence[float], drawn: bytes) -> list[float]:
    import numpy

    places = numpy.frombuffer(drawn, dtype="<u4") % len(differences)
    sampled = numpy.asarray(differences, dtype=float)[places]
    means: list[float] = sampled.reshape(-1, len(differences)).mean(axis=1).tolist()
    return means


def _without_numpy(differences: Sequence[float], drawn: bytes) -> list[float]:
    words = array("I", drawn)
    if sys.byteorder == "big":
        words.byteswap()
    size = len(differences)
    return [
        sum(differences[word % size] for word in words[begin : begin + size]) / size
        for begin in range(0, len(words), size)
    ]


def _numpy_is_there() -> bool:
    try:
        import numpy  # noqa: F401
    except ImportError:
        return False
    return True
