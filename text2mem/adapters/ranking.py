"""Formulas that fuse hits by words and hits by vectors into one ranking (docs/language.md,
"Target"), the same for every backend.

A search uses vectors if its ``alpha`` is above 0 and its query has a vector. Then the scores are
those of ``fuse``, else those of BM25. A search by a given vector has no words: its ``alpha`` is 1.
Every score is multiplied by ``boost``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

DEFAULT_ALPHA = 0.5
LEAST_POOL = 100
POOL_PER_ROW = 4
RANK_OFFSET = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009)."""
WEIGHT_SHARE = 0.1
RECENCY_SHARE = 0.05
MOST = (1 + WEIGHT_SHARE) * (1 + RECENCY_SHARE)
"""The greatest value of ``boost``."""
HALF_LIFE = timedelta(days=30)
SCORE_DIGITS = 9
SIMILARITY_DIGITS = 6
"""Values are rounded to so many decimals before they are compared, so that the order of a floating
point sum does not matter."""


def question(query: str, context: str | None) -> str:
    """The text that is embedded for a search: the query, and the context on its own line."""
    return f"{query}\n{context}" if context else query


def pool(limit: int) -> int:
    """How many of its best memories each ranking contributes to a search for ``limit`` rows."""
    return max(LEAST_POOL, POOL_PER_ROW * limit)


def near(similarities: Mapping[str, float], threshold: float) -> list[str]:
    """The ids whose cosine similarity reaches the threshold, most similar first, then by id."""
    rounded = {id_: round(value, SIMILARITY_DIGITS) for id_, value in similarities.items()}
    hits = [id_ for id_, value in rounded.items() if value >= threshold]
    return sorted(hits, key=lambda id_: (-rounded[id_], int(id_)))


def fuse(by_words: Sequence[str], by_vectors: Sequence[str], alpha: float) -> dict[str, float]:
    """Fuse two rankings, each best first, by reciprocal rank; the scores by id. ``alpha`` in [0, 1]
    is the share of the vectors. An id that is first in both scores 1."""
    scores: dict[str, float] = {}
    for share, ranking in ((1 - alpha, by_words), (alpha, by_vectors)):
        for rank, id_ in enumerate(ranking if share > 0 else (), start=1):
            scores[id_] = scores.get(id_, 0.0) + share * (RANK_OFFSET + 1) / (RANK_OFFSET + rank)
    return scores


def boost(weight: float, when: datetime, now: datetime) -> float:
    """The factor, from 0.9 to 1.155, by which a memory's weight and age multiply its score."""
    age = max(now - when, timedelta())
    recency: float = 2 ** -(age / HALF_LIFE)
    return (1 + WEIGHT_SHARE * (2 * weight - 1)) * (1 + RECENCY_SHARE * recency)


def ordered(scores: Mapping[str, float]) -> list[str]:
    """The ids by descending score, then by id."""
    return sorted(scores, key=lambda id_: (-round(scores[id_], SCORE_DIGITS), int(id_)))
