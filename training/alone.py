"""Fits when a request stands without the turns before it: ``python -m training.alone`` writes
``text2mem/planner/alone_weights.py``.

The shipped reader reads what people say after something was done, by authors that it has not learnt
from: with the turns before it, and how its answer would begin without. Thanks and a sigh look like
an undo beside a Delete, or like the same wish once more, and like nothing alone; "no wait, keep it"
looks at least a little like an undo alone, and "the other one too" like a wish. A logistic
regression weighs both readings of an undo, and a bound says from which likelihood on an utterance
asks for nothing. What was read is kept (``--kept``), and a run goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from text2mem.errors import ModelOutputError
from text2mem.ir.ops import READS
from text2mem.ir.turn import Turn
from text2mem.pipeline import opened_provider
from text2mem.planner import alone_weights
from text2mem.planner.draft import Draft, read_draft
from text2mem.planner.reader import asking, beginning_of, idle, restored, undone
from text2mem.planner.trust import undo_odds
from text2mem.providers.base import Provider, Sampling
from training.linking import regression
from training.rows import APART, Row, load, stores

FITTED, JUDGED = ("en-after-b", "zh-after-b"), ("en-after-a", "zh-after-a")
"""The authors that it is fitted to, beside those kept apart, and others that it is judged on; the
latter are of the next adapter's data."""
_EVEN = 0.5


@dataclass(frozen=True, slots=True)
class Read:
    """What somebody said after something else, and how it was read with that and alone.

    ``meant`` is an undo, a change, or nothing; ``read`` the same of the reading beside the turns.
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
    fitted = [each for each in held if each.author not in JUDGED]
    undos = [each for each in fitted if each.meant != "change" and each.read == "undo"]
    x = np.array([undo_odds(each.within, each.undo) for each in undos])
    weights = regression(x, np.array([each.meant == "undo" for each in undos], float))
    least = bound([each for each in fitted if each.read == "change"])
    for name, said in (
        ("fitted to", fitted), ("by others", [each for each in held if each.author in JUDGED])
    ):  # fmt: skip
        print(f"{name}: {told(said, weights, least)}")
    write(weights, least)


def read(kept: Path) -> Iterator[Read]:
    """What was said after something, as the reader reads it."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    lines = kept.read_text(encoding="utf-8").splitlines() if kept.exists() else []
    known = {
        (each.author, each.said): each for each in (Read(**json.loads(line)) for line in lines)
    }
    provider = opened_provider(None)
    with kept.open("a", encoding="utf-8") as file:
        for row in rows():
            found = known.get((row.author, row.utterance)) or _read(row, provider)
            if found is None:
                continue
            if (row.author, row.utterance) not in known:
                file.write(json.dumps(asdict(found), ensure_ascii=False) + "\n")
                file.flush()
            yield found


def rows() -> list[Row]:
    """What is said after something else: by the authors of that, and wishes of those kept apart."""
    after = load(authors=(*FITTED, *JUDGED))
    lean = [row for store in stores(authors=APART) for row in store.rows if row.before]
    return [*after, *(row for row in lean if kind(row.draft) == "change")]


def kind(draft: Draft) -> str:
    """Whether a draft is an undo, changes something, asks back, or does neither."""
    if draft.undo or draft.ask:
        return "undo" if draft.undo else "ask"
    return "change" if any(step.op not in READS for step in draft.steps) else "nothing"


def _read(row: Row, provider: Provider) -> Read | None:
    """No store is shown; None where the reader gives no draft."""
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
    """From which likelihood of nothing on the fewest are taken wrongly, at even odds."""

    def wrong(least: float) -> int:
        return sum((each.idle >= least) is (each.meant == "change") for each in changes)

    return min((0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1), key=wrong)


def told(said: Sequence[Read], weights: np.ndarray, least: float) -> str:
    """How many are read as an undo or a change, and how many of these stand."""
    lines = []
    for meant in ("undo", "change", "nothing"):
        those = [each for each in said if each.meant == meant]
        undos = [each for each in those if each.read == "undo"]
        changes = [each for each in those if each.read == "change"]
        back = sum(undo_odds(each.within, each.undo) @ weights > 0 for each in undos)
        stand = sum(each.idle < least for each in changes)
        lines.append(f"{len(those)} mean {meant}: {len(undos)} read as an undo, of which {back} "
                     f"stand, {len(changes)} as a change, of which {stand}")  # fmt: skip
    return "; ".join(lines)


def write(weights: np.ndarray, least: float) -> None:
    """Writes the weights."""
    bias, within, alone = (round(float(weight), 3) for weight in weights)
    Path(alone_weights.__file__).write_text(
        f'''"""When a request stands without its turns: by ``training/alone.py``, and no hand."""

from __future__ import annotations

UNDOES = ({bias}, {within}, {alone})
"""A constant, and what the log-odds of an undo count with the turns before and without."""
IDLE = {least}
"""From which likelihood on an utterance asks for nothing, read without the turns before it."""
''',
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
