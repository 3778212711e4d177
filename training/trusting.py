"""From when on the reader is trusted: ``python -m training.trusting`` writes
``text2mem/planner/reader_limits.py``.

The shipped reader reads every third request over the stores of authors that it has not learnt from
(``APART``). Of every op that destroys or hides it is counted whether that was asked for, and of
every such step that picks memories whether they are the right ones, each with how likely the
answers were; a limit is the least likelihood from which on so many of 100 are right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from text2mem.errors import ModelOutputError
from text2mem.ir.turn import Turn
from text2mem.pipeline import opened_provider
from text2mem.planner import reader_limits
from text2mem.planner.draft import Draft, read_draft
from text2mem.planner.guard import hides
from text2mem.planner.picture import View
from text2mem.planner.reader import (
    agreement,
    asking,
    certainty,
    named,
    picked,
    restored,
    second,
    second_prompt,
)
from text2mem.providers.base import Provider, Sampling
from training.rows import Row, Store, stores

APART = ("en-near-c", "zh-near-c")
_TRUSTED = 0.95
_LEAST, _MOST = 0.3, 0.9


@dataclass(frozen=True, slots=True)
class Judged:
    """How likely an answer was, and whether it was right."""

    likely: float
    right: bool


@dataclass
class Reading:
    """The shipped reader over requests that it has not learnt from."""

    provider: Provider
    rows: int = 0
    ops: int = 0
    whole: int = 0
    hiding: list[Judged] = field(default_factory=list)
    picks: list[Judged] = field(default_factory=list)

    def read(self, store: Store, row: Row) -> None:
        """One request."""
        view = View(store.memories, len(store.memories))
        turns = tuple(map(Turn, row.before))
        self.rows += 1
        question = asking(
            view, row.utterance, turns, self.provider.profile, Sampling(max_tokens=400)
        )
        try:
            answer = self.provider.complete(question)
        except ModelOutputError:
            return
        draft = read_draft(named(restored(answer.data), view))
        if not isinstance(draft, Draft):
            return
        right = [s.op for s in draft.steps] == [s.op for s in row.draft.steps]
        self.ops += right
        found = [set(step.listed("ids")) for step in draft.steps]
        self.whole += right and found == [set(ids) for ids in row.hits]
        for op in {step.op for step in draft.steps if hides(step)}:
            prompt = second_prompt(view, row.utterance, turns, op)
            told = self.provider.complete(second(prompt, self.provider.profile, Sampling()))
            asked = {step.op for step in row.draft.steps if hides(step)}
            self.hiding.append(Judged(certainty(answer) * agreement(told), op in asked))
        if right:
            for step, sure, ids in zip(draft.steps, picked(answer), row.hits, strict=False):
                if step.listed("ids") and hides(step):
                    self.picks.append(Judged(sure, set(step.listed("ids")) == set(ids)))


def limit(judged: Sequence[Judged]) -> float:
    """The least likelihood from which on answers are trusted."""
    for least in sorted({round(each.likely, 2) for each in judged}):
        right = [each.right for each in judged if each.likely >= least]
        if least >= _LEAST and sum(right) >= _TRUSTED * len(right):
            return min(least, _MOST)
    return _MOST


def main() -> None:
    """The command line."""
    reading = Reading(opened_provider(None))
    for store in stores(authors=APART):
        for row in store.rows[::3]:
            reading.read(store, row)
    print(f"{reading.rows} requests, ops right in {reading.ops}, memories too in {reading.whole}")
    for name, judged in (("hiding", reading.hiding), ("picks", reading.picks)):
        right = sum(each.right for each in judged)
        print(f"{name}: {right} of {len(judged)} right; limit {limit(judged)}")
        for least in (0.3, 0.5, 0.7, 0.9):
            kept = [each.right for each in judged if each.likely >= least]
            print(f"  from {least} on: {sum(kept)} of {len(kept)}")
    _write(limit(reading.hiding), limit(reading.picks))


def _write(read_well: float, picked_well: float) -> None:
    Path(reader_limits.__file__).write_text(
        f'''"""From when on the tuned reader is trusted: ``training/trusting.py`` makes them."""

READ_WELL = {read_well}
"""The least likelihood of both readings of an op that destroys or hides without a question."""
PICKED = {picked_well}
"""The least likelihood of the memories that a step picks, before something is destroyed on it."""
BORNE_OUT = {reader_limits.BORNE_OUT}
"""The least likelihood, by the request's own words, of what is picked to go or be hidden."""
UNLIKELY = {reader_limits.UNLIKELY}
"""Below which likelihood, by the request's own words, nothing that is picked is changed unasked."""
''',
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
