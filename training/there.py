"""Fits whether what a request means is held at all: ``python -m training.there`` writes
``text2mem/planner/there_weights.py``.

The data are the rows with a store: the memories that a request means, beside the one that stands
nearest where these are taken out of the store. The weights are a logistic regression over what the
words of the request share with a memory, and the products of that. A second set is for stores
without vectors. ``--examples`` keeps what is computed of the rows: their vectors take minutes.
"""

from __future__ import annotations

import argparse
import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from text2mem.planner import there_weights
from text2mem.planner.rank import paired, rank, sight
from training.linking import regression
from training.rows import DATA
from training.stores import query, with_stores

_MOST = 3
_EVERY = 3
_APART = ("near-c", "day-")
"""Authors whose files have this in their names say how well it goes."""


@dataclass(frozen=True, slots=True)
class Pair:
    """What a request shares with the least of what it means, and with what it is mistaken for."""

    author: str
    meant: tuple[float, ...]
    taken: tuple[float, ...]


def pairs() -> Iterator[Pair]:
    """Of one row in so many."""
    number = 0
    for path in sorted(DATA.glob("*.jsonl")):
        for store, row in with_stores(path):
            number += 1
            hits = {id_ for ids in row.get("hits", ()) for id_ in ids}
            if number % _EVERY or not 0 < len(hits) <= _MOST:
                continue
            words, vector = row["u"], query(row["u"])
            left = [record for record in store.pool if record.id not in hits]
            there = sight(words, store.pool, vector, store.vectors)
            gone = sight(words, left, vector, store.vectors)
            ranked = rank(words, store.pool, vector, store.vectors)
            least = [fit.record.id for fit in ranked if fit.record.id in hits][-1]
            near = rank(words, left, vector, store.vectors)[0].record.id
            yield Pair(path.stem, there[least], gone[near])


def blind(rows: np.ndarray) -> np.ndarray:
    """What is known without vectors."""
    out = rows.copy()
    out[:, 4:6] = 0.0
    out[:, 8] = out[:, 3]
    return out


def fit(rows: np.ndarray, meant: np.ndarray) -> np.ndarray:
    """The weights."""
    return regression(np.array([paired(row) for row in rows]), meant)


def told(rows: np.ndarray, meant: np.ndarray, apart: np.ndarray) -> None:
    """Prints what authors left out of the fit say of it."""
    weights = fit(rows[~apart], meant[~apart])
    x = np.array([paired(row) for row in rows[apart]])
    likely, right = 1 / (1 + np.exp(-x @ weights)), meant[apart] > 0
    for least in (0.3, 0.5, 0.7, 0.9):
        print(f"from {least} on: {(likely[right] >= least).mean():.3f} of what is there, "
              f"{(likely[~right] >= least).mean():.3f} of what stands near")  # fmt: skip


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=Path, default=Path("build/there.pkl"))
    args = parser.parse_args()
    if args.examples.exists():
        found: list[Pair] = pickle.loads(args.examples.read_bytes())
    else:
        found = [*pairs()]
        args.examples.parent.mkdir(parents=True, exist_ok=True)
        args.examples.write_bytes(pickle.dumps(found))
    rows = np.array([row for pair in found for row in (pair.meant, pair.taken)])
    meant = np.array([1.0, 0.0] * len(found))
    apart = np.array([any(a in pair.author for a in _APART) for pair in found for _ in range(2)])
    print(f"{len(found)} requests; of {apart.sum() // 2} by authors left out:")
    told(rows, meant, apart)
    _write(fit(rows, meant), fit(blind(rows), meant))


def _write(seeing: np.ndarray, unseeing: np.ndarray) -> None:
    names = (("THERE", seeing), ("BLIND", unseeing))
    lines = [
        f"{name}: tuple[float, ...] = (\n"
        + "".join(f"    {round(float(weight), 4)},\n" for weight in weights)
        + ")\n"
        for name, weights in names
    ]
    Path(there_weights.__file__).write_text(
        '"""Weights of whether what a request means is held: ``training/there.py`` makes them, no '
        "hand.\n\nOne for each of ``rank.paired``; the second set is for stores without vectors.\n"
        '"""'
        "\n\nfrom __future__ import annotations\n\n" + "".join(lines),
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
