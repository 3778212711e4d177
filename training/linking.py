"""Fit the linker: ``python -m training.linking`` writes ``text2mem/planner/link_weights.py``.

The data are the rows with a store: requests, with the memories that each step means. The weights
are those of a logistic regression over pairs of a step's words and a memory. The thresholds are
those that choose the right memories in the most steps, and those for when to ask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np

from text2mem.ir.ops import READS
from text2mem.planner import link_weights, rank
from text2mem.planner.draft import Step
from training.rows import DATA
from training.stores import Store, query, with_stores

_PENALTY = 1.0
_STEPS = 60
_FOLDS = 5
_ANSWER = 4
_PRECISE, _EVEN = 0.92, 0.5


@dataclass(frozen=True)
class Case:
    """The words of one step: the features of each memory of the store, and which ones are meant."""

    features: np.ndarray
    meant: np.ndarray
    several: bool
    reads: bool


@dataclass(frozen=True)
class Limits:
    """The thresholds of ``link_weights``."""

    found: float = 0.3
    many: float = 0.3
    share: float = 0.3
    read: float = 0.5
    rival: float = 0.85
    sure: float = 0.6


def main() -> None:
    """The command line."""
    cases = [case for path in sorted(DATA.glob("*.jsonl")) for case in _cases_of(path)]
    right = []
    for fold in range(_FOLDS):
        weights = fit([case for i, case in enumerate(cases) if i % _FOLDS != fold])
        held = [case for i, case in enumerate(cases) if i % _FOLDS == fold]
        limits = tune([case for i, case in enumerate(cases) if i % _FOLDS != fold], weights)
        right += [chosen(case, likely(case, weights), limits) for case in held]
    print(f"{len(cases)} steps; right in held-out folds: {np.mean(right):.3f}")
    weights = fit(cases)
    limits = tune(cases, weights)
    limits = replace(limits, sure=_sure(cases, weights, limits), rival=_rival(cases, weights))
    print(limits)
    for name, weight in zip(rank.NAMES, weights, strict=True):
        print(f"{weight:8.3f} {name}")
    _write(weights, astuple(limits))


def _cases_of(path: Path) -> Iterator[Case]:
    """The cases of an author: the steps with words and no other restriction."""
    for store, row in with_stores(path):
        for step, hits in zip(row["draft"].get("steps", ()), row["hits"], strict=True):
            words = step.get("about")
            if words and not _NARROWED & set(step) and step["op"] != "Encode":
                yield _case(Step(step["op"], step), words, store, hits)


_NARROWED = {"tags", "from", "except", "which", "count", "ids"}


def _case(step: Step, words: str, store: Store, hits: Sequence[str]) -> Case:
    rows = np.array(rank.features(words, store.pool, query(words), store.vectors))
    meant = np.array([record.id in hits for record in store.pool])
    several = bool(step.values.get("many")) or step.op == "Merge"
    return Case(rows, meant, several, step.op in READS)


def fit(cases: Sequence[Case]) -> np.ndarray:
    """The linker's weights."""
    x = np.concatenate([case.features for case in cases])
    return regression(x, np.concatenate([case.meant for case in cases]).astype(float))


def regression(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The weights of a logistic regression, by Newton's method with a ridge penalty."""
    w = np.zeros(x.shape[1])
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-x @ w))
        gradient = x.T @ (p - y) + _PENALTY * w
        curvature = (x * (p * (1 - p))[:, None]).T @ x + _PENALTY * np.eye(len(w))
        w = w - np.linalg.solve(curvature, gradient)
    return w


def by_others(
    fit: Callable[[np.ndarray, np.ndarray], np.ndarray], x: np.ndarray, y: np.ndarray,
    authors: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """The probabilities of each author's rows, by weights that are fitted to those of all
    others."""
    out = np.zeros(len(y))
    for author in sorted(set(authors)):
        w = fit(x[authors != author], y[authors != author])
        out[authors == author] = 1 / (1 + np.exp(-x[authors == author] @ w))
    return out


def likely(case: Case, weights: np.ndarray) -> np.ndarray:
    """The probability of each memory of a case."""
    return np.asarray(1 / (1 + np.exp(-case.features @ weights)))


def chosen(case: Case, p: np.ndarray, limits: Limits) -> bool:
    """Whether the thresholds choose exactly what is meant, by the probabilities ``p``."""
    best = p.max()
    if best < (limits.many if case.several else limits.found):
        return not case.meant.any()
    if case.several:
        return bool((case.meant == (p >= max(limits.many, limits.share * best))).all())
    if case.reads:
        taken = p >= max(limits.found, limits.read * best)
        return bool((case.meant <= taken).all()) and taken.sum() <= max(_ANSWER, case.meant.sum())
    return bool(case.meant[p.argmax()])


def tune(cases: Sequence[Case], weights: np.ndarray) -> Limits:
    """The thresholds that are right in the most cases; of equal ones, the more careful."""
    grid = [round(0.05 * i, 2) for i in range(1, 16)]
    limits = Limits()
    judged = [(case, likely(case, weights)) for case in cases]

    def best(options: Sequence[Limits]) -> Limits:
        def right(one: Limits) -> tuple[float, float]:
            share = float(np.mean([chosen(case, p, one) for case, p in judged]))
            return share, one.found + one.many + one.share + one.read

        return max(options, key=right)

    limits = best([replace(limits, found=f, read=r) for f, r in product(grid, grid)])
    return best([replace(limits, many=m, share=s) for m, s in product(grid, grid)])


def _sure(cases: Sequence[Case], weights: np.ndarray, limits: Limits) -> float:
    """The least probability from which on the best memory is the one meant in at least ``_PRECISE``
    of the cases."""
    tops = []
    for case in cases:
        if not case.several:
            p = likely(case, weights)
            tops.append((float(p.max()), bool(case.meant[p.argmax()])))
    for least in sorted({round(p, 2) for p, _ in tops}):
        right = [meant for p, meant in tops if p >= least]
        if least >= limits.found and np.mean(right) >= _PRECISE:
            return float(least)
    return 1.0


def _rival(cases: Sequence[Case], weights: np.ndarray) -> float:
    """The share of the best one's probability from which on the second makes the best one wrong in
    more than half of the cases."""
    seconds = []
    for case in cases:
        if not case.several and not case.reads and case.meant.sum() == 1:
            p = likely(case, weights)
            order = np.argsort(-p)
            seconds.append((float(p[order[1]] / p[order[0]]), bool(case.meant[order[0]])))
    for share in np.arange(0.5, 1.0, 0.05):
        near = [right for ratio, right in seconds if ratio >= share]
        if near and np.mean(near) < _EVEN:
            return round(float(share), 2)
    return 0.95


def _write(weights: np.ndarray, limits: tuple[float, ...]) -> None:
    path = Path(link_weights.__file__)
    numbers = "".join(f"    {round(float(weight), 4)},\n" for weight in weights)
    found, many, share, read, rival, sure = limits
    path.write_text(
        f'''"""The linker's weights and limits. Made by ``training/linking.py``; do not edit."""

from __future__ import annotations

WEIGHTS: tuple[float, ...] = (
{numbers})
"""A weight for each feature of ``rank.NAMES``."""
FOUND = {found}
"""The least probability of a memory, if one is meant."""
MANY = {many}
"""The least probability of a memory, if several are meant."""
SHARE = {share}
"""If several are meant, the least share of the best one's probability."""
READ = {read}
"""If a question is answered, the least share of the best one's probability."""
RIVAL = {rival}
"""From this share of the best one's probability on, another memory counts as equally likely."""
SURE = {sure}
"""From this probability on, the memory that is found is the right one in 9 of 10 requests."""
''',
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
