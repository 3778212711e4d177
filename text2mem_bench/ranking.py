"""Measures of a ranked list of ids: recall, nDCG, reciprocal rank, places, Kendall's tau.

All are pure. An id that stands twice in a list counts at its first place.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations


def recall_at(returned: Sequence[str], relevant: Collection[str], k: int) -> float:
    """The share of the relevant ids among the first ``k``, 0 to 1; 1 where none is relevant."""
    wanted = set(relevant)
    return len(wanted & set(_once(returned)[:k])) / len(wanted) if wanted else 1.0


def ndcg_at(returned: Sequence[str], gains: Mapping[str, float], k: int) -> float:
    """The discounted gain of the first ``k`` ids over that of the best order, 0 to 1.

    The gain of an id at place i (from 1) counts gain / log2(i + 1) (Järvelin and Kekäläinen 2002,
    as it is used since); an id without a gain has 0. 1 where nothing has a gain.
    """
    best = _discounted(sorted(gains.values(), reverse=True)[:k])
    if best <= 0:
        return 1.0
    return _discounted([gains.get(id_, 0.0) for id_ in _once(returned)[:k]]) / best


def reciprocal_rank(returned: Sequence[str], relevant: Collection[str]) -> float:
    """1 over the place of the first relevant id; 0 where there is none. Its mean is the MRR."""
    wanted = set(relevant)
    return next((1 / place for place, id_ in enumerate(_once(returned), 1) if id_ in wanted), 0.0)


def place_of(id_: str, returned: Sequence[str]) -> int | None:
    """The place of an id, from 1; None where it is not there."""
    ids = _once(returned)
    return ids.index(id_) + 1 if id_ in ids else None


def kendall_tau(one: Sequence[str], other: Sequence[str]) -> float | None:
    """How far two lists order their common ids alike: 1 the same, -1 reversed.

    Pairs in the same order less pairs in opposite orders, over all pairs (Kendall 1938; a list has
    no ties). None where they have fewer than two ids in common.
    """
    places = {id_: place for place, id_ in enumerate(_once(other))}
    common = [places[id_] for id_ in _once(one) if id_ in places]
    pairs = list(combinations(common, 2))
    if not pairs:
        return None
    return sum(1 if first < second else -1 for first, second in pairs) / len(pairs)


def _once(returned: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(returned))


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(place + 1) for place, gain in enumerate(gains, 1))
