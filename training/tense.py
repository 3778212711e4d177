"""Fit which day a bare one is: ``python -m training.tense`` writes
``text2mem/ir/times/tense.json``.

The data are notes that name a day, with what their authors meant by it (``data/days``). The weights
are those of a logistic regression with a ridge. The printed figures are of people left out in turn.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass

import numpy as np

from text2mem.ir.times.tense import BIAS, FILE, features, likely
from training.rows import DATA

_RIDGE = 0.05
_SEEN = 2
"""The least number of notes that have a feature."""
_FOLDS = 7
_STEPS = 25
_CLOSE = 1e-3
"""The change of the rows' weights at which no further step is taken."""
_PLACES = 2
_LEAST = 0.2
"""Smaller weights are not written: they move a likelihood by a hundredth."""


@dataclass(frozen=True, slots=True)
class Note:
    """A note with its features, and whether its day is past."""

    who: str
    text: str
    found: frozenset[str]
    past: bool


def notes() -> list[Note]:
    """The notes of all authors."""
    out = []
    for path in sorted((DATA / "days").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            found = features(row["text"], row["when"])
            out.append(Note(f"{path.stem} {row['who']}", row["text"], found, row["lean"] == "past"))
    return out


def fitted(learnt: list[Note]) -> dict[str, float]:
    """The weight of every feature, and of the constant."""
    seen = Counter(each for note in learnt for each in note.found)
    names = sorted(name for name, count in seen.items() if count >= _SEEN)
    at = {name: i for i, name in enumerate(names)}
    x = np.zeros((len(learnt), len(names) + 1))
    x[:, -1] = 1
    for row, note in enumerate(learnt):
        for each in note.found & at.keys():
            x[row, at[each]] = len(note.found) ** -0.5
    y = np.array([note.past for note in learnt], float)
    # Newton's method in the dual (weights of rows): there are fewer rows than features.
    near, w = x @ x.T, np.zeros(len(y))
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-near @ w))
        sure = np.maximum(p * (1 - p), 1e-9)
        left = sure[:, None] * near + _RIDGE * np.eye(len(y))
        before, w = w, np.linalg.solve(left, sure * (near @ w) + y - p)
        if np.abs(w - before).max() < _CLOSE:
            break
    weights = x.T @ w
    return dict(zip((*names, BIAS), weights.tolist(), strict=True))


def main() -> None:
    """Write the file, and print how well the notes of people left out are read."""
    held = notes()
    people = sorted({note.who for note in held})
    judged = []
    for fold in range(_FOLDS):
        out = set(people[fold::_FOLDS])
        weights = fitted([note for note in held if note.who not in out])
        judged += [(likely(note.found, weights), note) for note in held if note.who in out]
    files = sorted({name.split()[0] for name in people})
    for part in ("en", "zh", *files):
        rows = [(p, note.past) for p, note in judged if note.who.startswith(part)]
        right = sum((p > 0.5) == past for p, past in rows)
        print(f"{part}: {right} of {len(rows)} right")
        for bound in (0.8, 0.85, 0.9):
            caught = sum(past and p > bound for p, past in rows)
            wrong = sum(not past and p > bound for p, past in rows)
            print(f"  from {bound}: {caught} of {sum(past for _, past in rows)}, {wrong} wrongly")
    rounded = {name: round(w, _PLACES) for name, w in sorted(fitted(held).items())}
    kept = {name: w for name, w in rounded.items() if abs(w) >= _LEAST or name == BIAS}
    FILE.write_text(json.dumps(kept, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
