"""Fit when an edit is made as the reader words it: ``python -m training.wording`` writes
``text2mem/planner/wording_weights.py``.

The shipped reader reads the changes that authors ask for whom it has not learnt from (``APART``).
For every edit of the right memory these are noted: how certain the reader was of the old words and
of the new ones, and whether the memory then says what its author meant. A logistic regression
weighs both certainties. Below a threshold, what is said is added beside what the memory says.
Readings are kept (``--kept``), so a run resumes where it stopped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from text2mem.editing.edit import appended, exchange
from text2mem.errors import ModelOutputError
from text2mem.ir.turn import Turn
from text2mem.ir.words.segment import index_terms
from text2mem.planner import wording_weights
from text2mem.planner.draft import Draft, Step
from text2mem.planner.picture import View
from text2mem.planner.reader import asking, drafted, worded
from text2mem.planner.trust import word_odds
from text2mem.providers.base import Provider, Sampling
from training.kept import kept
from training.linking import by_others, regression
from training.rows import APART, Row, Store, stores
from training.trusting import bound

_COST = 1 / 3
"""How many right edits that are only added beside the text are as bad as one wrong edit that is
made. About one in three of the wrong ones would be right if added, and hardly any of the right
ones."""
_MOST_STALE, _LEAST_NEW = 0.35, 0.75
"""The most of the terms that go that may stay, and the least of those that come that must be
there."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A text, what its author meant it to say, what the reader's edit makes of it (None if it is no
    edit of it), and how certain the reader was of the old words (``go``) and the new ones
    (``come``)."""

    author: str
    held: str
    meant: str
    made: str | None
    go: float
    come: float

    @property
    def right(self) -> bool:
        """Whether the new terms are there and the old ones are not (nearly all of them), and
        nothing else is lost."""
        if self.made is None:
            return False
        held, meant, made = (set(index_terms(t)) for t in (self.held, self.meant, self.made))
        comes, goes = meant - held, held - meant
        return (
            held & meant <= made
            and len(comes & made) >= _LEAST_NEW * len(comes)
            and len(goes & made) <= _MOST_STALE * len(goes)
        )


def edits(provider: Provider, store: Store) -> Iterator[Edit]:
    """The reader's edits of the memories of a store that are to change."""
    view = View(store.memories, len(store.memories))
    texts = {record.id: record.text for record in store.memories}
    for row in store.rows:
        meant = _meant(row, texts)
        if not meant:
            continue
        turns, sampling = tuple(map(Turn, row.before)), Sampling(max_tokens=400)
        try:
            answer = provider.complete(
                asking(view, row.utterance, turns, provider.profile, sampling, steps=True)
            )
        except ModelOutputError:
            continue
        draft = drafted(answer, view)
        if not isinstance(draft, Draft):
            continue
        often = [step.listed("ids") for step in draft.steps if step.op == "Update"]
        for step, (go, come) in zip(draft.steps, worded(answer), strict=False):
            ids = step.listed("ids")
            alone = len(ids) == 1 and often.count(ids) == 1
            if step.op == "Update" and alone and ids[0] in meant and _exchanges(step):
                held = texts[ids[0]]
                made = _changed(held, step, row.utterance)
                yield Edit(row.author, held, meant[ids[0]], made, go, come)


def _exchanges(step: Step) -> bool:
    """Whether a step exchanges, adds or removes words, rather than a computed amount."""
    return bool({"old", "new"} & set(step.values)) and not {"plus", "minus"} & set(step.values)


def _meant(row: Row, texts: dict[str, str]) -> dict[str, str]:
    """The texts that memories are to have, by id, for those that an author changed by words."""
    found: dict[str, str] = {}
    unclear: set[str] = set()
    for step, ids in zip(row.draft.steps, row.hits, strict=True):
        if step.op != "Update" or len(ids) != 1:
            continue
        changed = _changed(found.get(ids[0], texts[ids[0]]), step, row.utterance)
        found[ids[0]] = changed or ""
        unclear |= {ids[0]} if changed is None else set()
    return {id_: text for id_, text in found.items() if id_ not in unclear}


def _changed(text: str, step: Step, said: str) -> str | None:
    """A text after an Update of it; None if the Update does not tell that in words."""
    if step.words("text"):
        return step.words("text")
    if step.words("add"):
        return appended(text, step.words("add"))
    found = exchange(text, step.words("old"), step.words("new"), said) if _exchanges(step) else None
    return text.replace(found.old, found.new) if found is not None else None


def _fit(found: Sequence[Edit]) -> None:
    """Fit the weights and the threshold, print how well they do, and write them."""
    x = np.array([word_odds(each.go, each.come) for each in found])
    y = np.array([each.right for each in found], float)
    authors = np.array([each.author for each in found])
    out = by_others(regression, x, y, authors)
    least = bound(out, y, _COST)
    made = out >= least
    print(f"{len(y)} edits, {y.sum():.0f} right; from {least} on {made.sum()}, of which "
          f"{y[made].sum():.0f} right (authors left out in turn)")  # fmt: skip
    weights = tuple(round(float(w), 3) for w in regression(x, y))
    Path(wording_weights.__file__).write_text(
        f'''"""Whether an edit is made as worded. Made by ``training/wording.py``; do not edit."""

from __future__ import annotations

WORDS: tuple[float, ...] = {weights}
"""A constant, and the weights of the log-odds of how certain the reader is of the old words, and of
the new ones."""
WORDED = {least}
"""Below this probability, the old words stay and what was said is added beside them."""
''',
        encoding="utf-8",
    )


def main() -> None:
    """The command line."""
    found = kept("wording", __doc__, stores(authors=APART), edits)
    if found:
        _fit([Edit(**each) for _, held in found for each in held])


if __name__ == "__main__":
    main()
