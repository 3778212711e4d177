"""Choose the episode that a reader is shown beside a request: one of the nearest, or none.

Nearness finds episodes on the same matter. A person's own words are those terms of an episode's
request that occur neither in its explanation nor in its draft; a request that uses them again means
the same. The weights are fitted (training/selecting.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from text2mem.experience.episode import Episode
from text2mem.experience.selector_weights import SHOWN, WEIGHTS
from text2mem.ir.words.likeness import dot, logistic
from text2mem.ir.words.segment import query_terms

NAMES = (
    "constant", "cosine", "cosine to what was told", "own words said", "rarity of these",
    "length of these", "longest run", "other words said",
)  # fmt: skip
_LONG, _RUN = 8.0, 10.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """An episode that may be shown. ``cosine`` is how near its request is to the new one by
    vectors, ``told`` how near its explanation is; both are 0 without vectors."""

    episode: Episode
    cosine: float = 0.0
    told: float = 0.0


def features(request: str, candidates: Sequence[Candidate]) -> list[tuple[float, ...]]:
    """The features of each candidate, in the order of ``NAMES``. They depend on the other
    candidates, since a word that many of them have is nobody's own."""
    said = frozenset(query_terms(request))
    owned = [_own(one.episode) for one in candidates]
    counts = Counter(term for own in owned for term in own)
    rows: list[tuple[float, ...]] = []
    for one, own in zip(candidates, owned, strict=True):
        shared = own & said
        rarity = [1 / counts[term] for term in shared]
        others = frozenset(query_terms(one.episode.request)) - own
        rows.append(
            (
                1.0,
                one.cosine,
                one.told,
                len(shared) / len(own) if own else 0.0,
                max(rarity, default=0.0),
                min(1.0, max(map(len, shared), default=0) / _LONG),
                min(1.0, _run(request.casefold(), own) / _RUN),
                len(others & said) / len(others) if others else 0.0,
            )
        )
    return rows


def pick(request: str, candidates: Sequence[Candidate]) -> Episode | None:
    """The episode to show; None if none is likely enough to be of use."""
    likely = [dot(WEIGHTS, row) for row in features(request, candidates)]
    best = max(range(len(likely)), key=lambda i: likely[i], default=None)
    if best is None or logistic(likely[best]) < SHOWN:
        return None
    return candidates[best].episode


def _own(episode: Episode) -> frozenset[str]:
    """The terms of a request that neither its explanation nor its draft has."""
    explained = " ".join((episode.told, *episode.draft.words()))
    return frozenset(query_terms(episode.request)).difference(query_terms(explained))


def _run(request: str, own: frozenset[str]) -> int:
    """The most consecutive characters of an own term that the request has."""
    matchers = (SequenceMatcher(a=term, b=request, autojunk=False) for term in own)
    return max((matcher.find_longest_match().size for matcher in matchers), default=0)
