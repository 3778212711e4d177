"""Fit whether what a request means is stored at all: ``python -m training.there`` writes
``text2mem/planner/there_weights.py``.

The data are the rows with a store. Each example has three kinds of memories: one that the request,
or the words of a step, mean; the one that ranks best after all meant ones are taken out of the
store; and two others. The weights are those of a logistic regression over the features of the words
and a memory, and their products. A second set is for stores without vectors. ``--examples`` keeps
the features, since the vectors take minutes.
"""

from __future__ import annotations

import argparse
import pickle
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from text2mem.planner import there_weights
from text2mem.planner.rank import features_by_id, paired, rank
from training.linking import regression
from training.rows import APART, DATA
from training.stores import query, with_stores

_MOST = 3
_EVERY = 3
_OTHERS = 2
_IN_A_ROW = 9
"""How many weights the file has in a row."""


@dataclass(frozen=True, slots=True)
class Pair:
    """The features of a request with a memory that it means (the one that fits worst), with the one
    that it is mistaken for, and with others of the store."""

    author: str
    meant: tuple[float, ...]
    taken: tuple[float, ...]
    others: tuple[tuple[float, ...], ...]


def pairs() -> Iterator[Pair]:
    """The examples. Of three rows in turn, one gives its request, one the words of a step, and one
    nothing."""
    number = 0
    rng = random.Random(0)
    for path in sorted(DATA.glob("*.jsonl")):
        for store, row in with_stores(path):
            number += 1
            words, hits = row["u"], {id_ for ids in row.get("hits", ()) for id_ in ids}
            if number % _EVERY == 1:
                steps = zip(row["draft"].get("steps", ()), row["hits"], strict=True)
                words, hits = next(
                    ((step["about"], set(ids)) for step, ids in steps if "about" in step),
                    ("", set()),
                )
            if number % _EVERY > 1 or not words or not 0 < len(hits) <= _MOST:
                continue
            vector = query(words)
            left = [record for record in store.pool if record.id not in hits]
            there = features_by_id(words, store.pool, vector, store.vectors)
            gone = features_by_id(words, left, vector, store.vectors)
            ranked = rank(words, store.pool, vector, store.vectors)
            least = [fit.record.id for fit in ranked if fit.record.id in hits][-1]
            near = rank(words, left, vector, store.vectors)[0].record.id
            others = rng.sample([record.id for record in left], min(_OTHERS, len(left)))
            yield Pair(path.stem, there[least], gone[near], tuple(there[id_] for id_ in others))


def blind(rows: np.ndarray) -> np.ndarray:
    """The features without vectors."""
    out = rows.copy()
    out[:, 4:6] = 0.0
    out[:, 8] = out[:, 3]
    return out


def fit(rows: np.ndarray, meant: np.ndarray) -> np.ndarray:
    """The weights."""
    return regression(np.array([paired(row) for row in rows]), meant)


def report(rows: np.ndarray, places: np.ndarray, apart: np.ndarray) -> None:
    """Print how well the weights do on the authors that are left out of the fit."""
    weights = fit(rows[~apart], np.array(places[~apart] == 0, float))
    x = np.array([paired(row) for row in rows[apart]])
    likely, place = 1 / (1 + np.exp(-x @ weights)), places[apart]
    for least in (0.1, 0.3, 0.5, 0.7, 0.9):
        there, near, else_ = (
            (likely[at] >= least).mean() for at in (place == 0, place == 1, place > 1)
        )
        print(f"from {least} on: {there:.3f} of what is there, {near:.3f} of what stands near, "
              f"{else_:.3f} of others")  # fmt: skip


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
    each = [(row, place, pair.author) for pair in found
            for place, row in enumerate((pair.meant, pair.taken, *pair.others))]  # fmt: skip
    rows = np.array([row for row, _, _ in each])
    places = np.array([place for _, place, _ in each])
    apart = np.array([author in APART for _, _, author in each])
    meant = np.array(places == 0, float)
    print(f"{len(found)} requests; of authors left out:")
    report(rows, places, apart)
    _write(fit(rows, meant), fit(blind(rows), meant))


def _rows(weights: np.ndarray) -> Iterator[list[float]]:
    rounded = [round(float(weight), 4) for weight in weights]
    return (rounded[start : start + _IN_A_ROW] for start in range(0, len(rounded), _IN_A_ROW))


def _write(seeing: np.ndarray, unseeing: np.ndarray) -> None:
    names = (("THERE", seeing), ("BLIND", unseeing))
    lines = [
        f"{name}: tuple[float, ...] = (\n"
        + "".join(f"    {', '.join(map(str, row))},\n" for row in _rows(weights))
        + ")  # fmt: skip\n"
        for name, weights in names
    ]
    Path(there_weights.__file__).write_text(
        '"""Weights for the probability that what a request means is stored at all.\n\n'
        "Made by ``training/there.py``; do not edit. A weight for each value of ``rank.paired``.\n"
        "The second set is for stores without vectors.\n"
        '"""'
        "\n\nfrom __future__ import annotations\n\n" + "".join(lines),
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
