"""Predictors that understand nothing: what a score is worth shows in how far it is above theirs."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from text2mem.errors import ConfigurationError
from text2mem_bench.metrics import grams
from text2mem_bench.planning import Predict, Prediction

if TYPE_CHECKING:
    from text2mem_bench.corpus import Case

PREFIX = "floor:"
FLOORS: Mapping[str, str] = {
    "floor:empty": "no step at all",
    "floor:shuffled": "the gold program of another row of the same file, at random",
    "floor:nearest": "the gold program of the row with the most similar utterance",
    "floor:gold": "the gold program: the ceiling",
}
_SIZES = (1, 2, 3)


def floor(name: str, pool: Sequence[Case], *, seed: int = 0) -> Predict:
    """The predictor of a name; ``pool`` are the rows from which programs are copied.

    A case is never answered with its own row, so that the file itself can be the pool. Raises
    ConfigurationError for an unknown name, or where there is no other row.
    """
    if name not in FLOORS:
        raise ConfigurationError(f"there is no '{name}'", hint=f"known: {', '.join(FLOORS)}")
    if name == "floor:empty":
        return lambda case, scene: Prediction(program=[])
    if name == "floor:gold":
        return lambda case, scene: Prediction(program=case.gold)
    if len({case.id for case in pool}) < 2:
        raise ConfigurationError(f"{name} copies from other rows, and there are none")
    if name == "floor:shuffled":
        return lambda case, scene: Prediction(program=_other(case, pool, seed).gold)
    neighbours = Neighbours(pool)
    return lambda case, scene: Prediction(program=neighbours.nearest(case).gold)


def _other(case: Case, pool: Sequence[Case], seed: int) -> Case:
    """Another row, by the seed and the id alone: no matter which rows a run takes, or in order."""
    chance = random.Random(f"{seed}:{case.id}")
    others = [other for other in pool if other.id != case.id]
    return others[chance.randrange(len(others))]


class Neighbours:
    """Utterances as weighted character 1- to 3-grams (TF-IDF), to find the most similar one."""

    def __init__(self, pool: Sequence[Case]) -> None:
        self._pool = pool
        counted = [_counted(case.utterance) for case in pool]
        documents = Counter(gram for counts in counted for gram in counts)
        # Smoothed as if one more utterance held every gram, so that no weight is 0.
        self._weights = {
            gram: math.log((1 + len(pool)) / (1 + n)) + 1 for gram, n in documents.items()
        }
        self._places: dict[str, list[tuple[int, float]]] = {}
        for place, counts in enumerate(counted):
            for gram, weight in self._vector(counts).items():
                self._places.setdefault(gram, []).append((place, weight))

    def nearest(self, case: Case) -> Case:
        """The other row whose utterance has the greatest cosine; the first of equal ones."""
        likeness = [0.0] * len(self._pool)
        for gram, weight in self._vector(_counted(case.utterance)).items():
            for place, other in self._places.get(gram, ()):
                likeness[place] += weight * other
        others = (place for place, other in enumerate(self._pool) if other.id != case.id)
        return self._pool[max(others, key=lambda place: likeness[place])]

    def _vector(self, counts: Mapping[str, int]) -> dict[str, float]:
        """The weights at unit length; grams that the pool does not have are left out."""
        raw = {g: n * self._weights[g] for g, n in counts.items() if g in self._weights}
        length = math.sqrt(sum(weight * weight for weight in raw.values())) or 1.0
        return {gram: weight / length for gram, weight in raw.items()}


def _counted(utterance: str) -> Counter[str]:
    return grams(utterance.lower(), _SIZES)
