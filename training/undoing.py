"""Fits when an undo is meant: ``python -m training.undoing`` writes
``text2mem/planner/undo_weights.py``.

The shipped reader reads what people say after something was done, by authors that it has not learnt
from (``AFTER``): once with the turns before it, once without. Thanks and a sigh look like an undo
beside a Delete, and like nothing alone; "no wait, keep it" looks like one beside the Delete, and at
least a little like one alone. A logistic regression weighs both, at even odds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from text2mem.ir.turn import Turn
from text2mem.pipeline import opened_provider
from text2mem.planner import undo_weights
from text2mem.planner.reader import asking, undone
from text2mem.planner.trust import undo_odds
from text2mem.providers.base import Provider, Sampling
from training.linking import regression
from training.rows import Row, load

AFTER = ("en-after-b", "zh-after-b")
"""The authors that it is fitted to."""
JUDGED = ("en-after-a", "zh-after-a")
"""The authors that it is judged on; those of the next adapter's data."""
_BEGINNING = Sampling(max_tokens=4)


@dataclass(frozen=True, slots=True)
class Said:
    """What somebody says after something was done, and how likely an undo is by either reading."""

    row: Row
    within: float
    alone: float

    @property
    def features(self) -> tuple[float, float, float]:
        """What is weighed."""
        return undo_odds(self.within, self.alone)


def main() -> None:
    """Reads, fits, says how well, and writes."""
    provider = opened_provider(None)
    fitted, judged = ([read(row, provider) for row in rows(each)] for each in (AFTER, JUDGED))
    x = np.array([each.features for each in fitted])
    y = np.array([each.row.draft.undo for each in fitted], float)
    weights = regression(x, y)
    for name, said in (("fitted to", fitted), ("by other authors", judged)):
        print(f"{name}: {told(said, weights)}")
    write(weights)


def rows(authors: Sequence[str]) -> list[Row]:
    """What was said after something, an undo or nothing."""
    return [row for row in load(authors=authors) if row.draft.undo or row.draft.idle]


def read(row: Row, provider: Provider) -> Said:
    """How likely an undo is, with the turns before and without; no store is shown."""
    likely = (
        undone(provider.complete(asking(None, row.utterance, turns, provider.profile, _BEGINNING)))
        for turns in (tuple(map(Turn.of, row.before)), ())
    )
    return Said(row, *likely)


def told(said: Sequence[Said], weights: np.ndarray) -> str:
    """How many undos are done, and how many of others, by the reader alone and weighed."""
    lines = []
    for name, undo in (("undos", True), ("others", False)):
        those = [each for each in said if each.row.draft.undo is undo]
        read_so = [each for each in those if each.within >= 0.5]
        taken = [each for each in read_so if np.dot(weights, each.features) > 0]
        lines.append(f"{len(those)} {name}, {len(read_so)} read as undos, {len(taken)} taken for")
    return "; ".join(lines)


def write(weights: np.ndarray) -> None:
    """Writes the weights."""
    bias, within, alone = (round(float(weight), 3) for weight in weights)
    assert math.isfinite(bias + within + alone)
    Path(undo_weights.__file__).write_text(
        f'''"""When an undo is meant: ``training/undoing.py`` makes them, no hand."""

from __future__ import annotations

UNDOES = ({bias}, {within}, {alone})
"""A constant, and what the log-odds of an undo count with the turns before and without."""
''',
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
