"""Fit whether a request stands by itself, without its turns: ``python -m training.alone`` writes
``text2mem/planner/alone_weights.py``.

The shipped reader reads what people say after something was done, by authors that it has not learnt
from: once with the earlier turns, and once how its answer would begin without them. Thanks or a
sigh after a Delete read like an undo, or like the same request again, and without the turns like
nothing. "No wait, keep it" still reads a little like an undo without them, and "the other one too"
like a request. A logistic regression weighs both readings of an undo. A threshold says from which
probability on an utterance asks for nothing. Readings are kept (``--kept``), so a run resumes where
it stopped.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from text2mem.errors import ModelOutputError
from text2mem.ir.turn import Turn
from text2mem.planner import alone_weights
from text2mem.planner.draft import Draft, read_draft
from text2mem.planner.reader import asking, beginning_of, idle, restored, undone
from text2mem.planner.trust import undo_odds
from text2mem.providers.base import Provider, Sampling
from text2mem.providers.registry import opened_provider
from training.linking import regression
from training.rows import APART, Row, load, stores

_LOST, _TAKEN_BACK = 2, 3
"""The cost of a lost request to change something, where a remark that changes something costs 1;
and the cost of a remark that undoes something, where a lost undo costs 1."""
_FOLDS = 5


@dataclass(frozen=True, slots=True)
class Read:
    """What somebody said after something else, and how it was read with that turn and without it.

    ``meant`` is what it asks for: an undo, a change, or nothing. ``read`` is the same of the
    reading with the turns. ``within`` and ``undo`` are the probabilities of an undo with the turns
    and without them, ``idle`` that of nothing without them.
    """

    author: str
    said: str
    meant: str
    read: str
    within: float
    undo: float
    idle: float


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kept", type=Path, default=Path("build/alone.jsonl"))
    held = list(read(parser.parse_args().kept))
    random.Random(0).shuffle(held)
    stood = {True: Counter[str](), False: Counter[str]()}
    for fold in range(_FOLDS):
        fitted = fit([each for place, each in enumerate(held) if place % _FOLDS != fold])
        for each in held[fold::_FOLDS]:
            stood[stands(each, *fitted)][f"{each.meant}, read as {each.read}"] += 1
    for what in sorted(stood[True] | stood[False]):
        print(f"{what}: {stood[True][what]} stand, {stood[False][what]} do not; folds held out")
    write(*fit(held))


def fit(said: Sequence[Read]) -> tuple[np.ndarray, float]:
    """The weights of an undo, and the probability of nothing from which on no change is made."""
    undos = [each for each in said if each.read == "undo"]
    x = np.array([undo_odds(each.within, each.undo) for each in undos])
    meant = np.array([each.meant == "undo" for each in undos])
    weights = regression(x, meant.astype(float))
    weights[0] -= cheapest(x @ weights, meant)
    return weights, bound([each for each in said if each.read == "change"])


def cheapest(score: np.ndarray, meant: np.ndarray) -> float:
    """The score of an undo above which wrong undos and lost undos cost the least."""

    def cost(least: float) -> int:
        return int(
            _TAKEN_BACK * ((score > least) & ~meant).sum() + ((score <= least) & meant).sum()
        )

    return min((-1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0), key=cost)


def stands(said: Read, weights: np.ndarray, least: float) -> bool:
    """Whether what was read with the turns would be done."""
    if said.read == "undo":
        return bool(np.dot(weights, undo_odds(said.within, said.undo)) > 0)
    return said.read != "change" or said.idle < least


def read(kept: Path) -> Iterator[Read]:
    """What was said after something, with the reader's readings of it."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    lines = kept.read_text(encoding="utf-8").splitlines() if kept.exists() else []
    known = {
        (each.author, each.said): each for each in (Read(**json.loads(line)) for line in lines)
    }
    provider = opened_provider(None)
    with kept.open("a", encoding="utf-8") as file:
        for row in rows():
            found = known.get((row.author, row.utterance))
            if found is None and (found := _read(row, provider)) is not None:
                file.write(json.dumps(asdict(found), ensure_ascii=False) + "\n")
                file.flush()
            if found is not None:
                yield found


def rows() -> list[Row]:
    """The rows of ``APART`` with an earlier turn: those without a store, and those over one.
    Rows that ask back are left out."""
    after = load(authors=APART)
    lean = [row for store in stores(authors=APART) for row in store.rows if row.before]
    return [row for row in (*after, *lean) if row.before and kind(row.draft) != "ask"]


def kind(draft: Draft) -> str:
    """Whether a draft is an undo, changes something, asks back, or does neither."""
    if draft.undo or draft.ask:
        return "undo" if draft.undo else "ask"
    return "change" if draft.changes else "nothing"


def _read(row: Row, provider: Provider) -> Read | None:
    """Read a row without a store; None if the reader gives no draft."""
    turns = tuple(map(Turn.of, row.before))
    asked = asking(None, row.utterance, turns, provider.profile, Sampling())
    begun = beginning_of(None, row.utterance, provider.profile, Sampling())
    try:
        answer, alone = provider.complete(asked), provider.complete(begun)
    except ModelOutputError:
        return None
    draft = read_draft(restored(answer.data))
    if not isinstance(draft, Draft):
        return None
    return Read(
        row.author, row.utterance, kind(row.draft), kind(draft), undone(answer), undone(alone),
        idle(alone),
    )  # fmt: skip


def bound(changes: Sequence[Read]) -> float:
    """The probability of nothing from which on dropping a change costs the least."""

    def cost(least: float) -> int:
        lost = sum(each.idle >= least for each in changes if each.meant != "nothing")
        done = sum(each.idle < least for each in changes if each.meant == "nothing")
        return _LOST * lost + done

    return min((0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1), key=cost)


def write(weights: np.ndarray, least: float) -> None:
    """Write the weights."""
    bias, within, alone = (round(float(weight), 3) for weight in weights)
    Path(alone_weights.__file__).write_text(
        f'''"""Whether a request stands by itself. Made by ``training/alone.py``; do not edit."""

from __future__ import annotations

UNDOES = ({bias}, {within}, {alone})
"""A constant, and the weights of the log-odds of an undo with the earlier turns and without."""
IDLE = {least}
"""From this probability on, an utterance read without its turns asks for nothing."""
''',
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
