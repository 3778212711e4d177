"""How hits by words and hits by vectors become one ranking (docs/language.md, "Target").

Pure formulas, the same for every backend. A search takes vectors into account where its ``alpha``
is above 0 and its question has a vector; then ``fuse`` gives the scores, else BM25 itself does. A
search for a vector has no words: its ``alpha`` is 1. Every score is multiplied by ``boost``.
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
"""What a score is multiplied by at most."""
HALF_LIFE = timedelta(days=30)
SCORE_DIGITS = 9
SIMILARITY_DIGITS = 6
"""Decimals that count in a comparison, so that sums taken in another order decide nothing."""


def question(query: str, context: str | None) -> str:
    """What the embedder reads: the query, and the context in a line of its own."""
    return f"{query}\n{context}" if context else query


def pool(limit: int) -> int:
    """With how many of its best memories a ranking takes part in a search for ``limit`` rows."""
    return max(LEAST_POOL, POOL_PER_ROW * limit)


def near(similarities: Mapping[str, float], threshold: float) -> list[str]:
    """The ids that are hits by cosine, the most similar first, equally similar ones by id."""
    rounded = {id_: round(value, SIMILARITY_DIGITS) for id_, value in similarities.items()}
    hits = [id_ for id_, value in rounded.items() if value >= threshold]
    return sorted(hits, key=lambda id_: (-rounded[id_], int(id_)))


def fuse(by_words: Sequence[str], by_vectors: Sequence[str], alpha: float) -> dict[str, float]:
    """The scores of two rankings, best first, by reciprocal rank: 1 for what leads in both.

    ``alpha`` in [0, 1] is the share of the vectors. What has no score is left out.
    """
    scores: dict[str, float] = {}
    for share, ranking in ((1 - alpha, by_words), (alpha, by_vectors)):
        if share <= 0:
            continue
        for rank, id_ in enumerate(ranking, start=1):
            scores[id_] = scores.get(id_, 0.0) + share * (RANK_OFFSET + 1) / (RANK_OFFSET + rank)
    return scores


def boost(weight: float, when: datetime, now: datetime) -> float:
    """What a memory's weight and age multiply its score by: from 0.9 to 1.155."""
    age = max(now - when, timedelta())
    recency: float = 2 ** -(age / HALF_LIFE)
    return (1 + WEIGHT_SHARE * (2 * weight - 1)) * (1 + RECENCY_SHARE * recency)


def ordered(scores: Mapping[str, float]) -> list[str]:
    """The ids by score, the best first, then by id."""
    return sorted(scores, key=lambda id_: (-round(scores[id_], SCORE_DIGITS), int(id_)))
