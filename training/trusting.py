"""Fit when the reader is trusted: ``python -m training.trusting`` writes
``text2mem/planner/reader_limits.py``.

The shipped reader reads requests over stores of authors that it has not learnt from (``APART``).
Each store is read once as it is and once without some of the memories that are meant: a request for
what is not stored must not get something similar. For every step that picks memories these are
noted: how likely the readings were, how likely the request's own words make the memories, and
whether the step was right. A logistic regression weighs these, and a threshold says from which
probability on a step runs without a question. Readings are kept (``--kept``), so a run resumes
where it stopped.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from text2mem.errors import ModelOutputError
from text2mem.ir.ops import READS
from text2mem.ir.record import Record
from text2mem.ir.turn import Turn
from text2mem.planner import reader_limits
from text2mem.planner.draft import Draft, Step
from text2mem.planner.picked import Picked
from text2mem.planner.picture import View
from text2mem.planner.reader import (
    agreement,
    asking,
    certainty,
    drafted,
    picked,
    second,
    tuned_prompt,
)
from text2mem.planner.trust import odds
from text2mem.providers.base import Provider, Sampling
from training.kept import kept
from training.linking import by_others, regression
from training.rows import APART, Row, Store, stores
from training.stores import embedder, query

_EVERY, _MISSED = 4, 4
"""One store in so many of each author is read (every one with plain requests, which are short), and
so many memories are left out of its second view."""
_COST = 3.5
"""How many needless questions are as bad as one wrong step that hides something. Any other step
that writes is asked about if it is more likely wrong than right."""
_COST_JOINED = 2.0
"""The same for a step that merges, which keeps all of the content."""
_COST_BLIND = 2.0
"""The same in a store without vectors, where words alone tell less. With a higher cost, two in five
of the right steps would be asked about."""
_EVEN = 0.5
_NEARLY = 1.05
"""A more careful threshold is taken if it costs at most so many times what the best one does."""


Bound = tuple[Sequence[float], float]
"""Weights, and the least probability by them."""


@dataclass(frozen=True, slots=True)
class Read:
    """One step that picks memories: how likely each reading made it, and whether it was right."""

    author: str
    request: str
    step: dict[str, Any]
    ids: tuple[str, ...]
    absent: bool
    op: float
    again: float
    picked: float
    right: bool
    asked: bool
    """Whether the reader asked back, and this step is what it would do otherwise."""

    @property
    def hides(self) -> bool:
        """Whether it deletes memories or puts them out of sight."""
        return self._step.hides

    @property
    def _step(self) -> Step:
        return Step(self.step["op"], {k: v for k, v in self.step.items() if k != "op"})

    def beside(self, reading: Reading, *, blind: bool = False) -> Picked:
        """The step's memories compared with the store that it was read over. ``blind``: without
        vectors."""
        view = reading.left if self.absent else reading.store.memories
        records = [record for record in reading.store.memories if record.id in self.ids]
        known = self._step, records, self.request, view
        if blind:
            return Picked(*known, None, {})
        own = query(self._step.words("about"))
        return Picked(*known, query(self.request), reading.vectors, own)


@dataclass(frozen=True, slots=True)
class Judged:
    """A step with what the request's own words say of its memories. ``twin`` is how much nearer
    they are than the nearest memory that holds as many of the words, if there is one."""

    read: Read
    borne_out: float
    margin: float
    blind: float
    twin: float | None

    @property
    def features(self) -> tuple[float, ...]:
        """The features that are weighed."""
        return 1.0, odds(self.read.picked), odds(self.borne_out), self.margin

    @property
    def features_blind(self) -> tuple[float, ...]:
        """The same for a store without vectors. There the margin over other memories rests on words
        alone, and weighing it does worse on authors that are left out."""
        return 1.0, odds(self.read.picked), odds(self.blind)


@dataclass
class Reading:
    """The shipped reader over one store."""

    provider: Provider | None
    store: Store

    def __post_init__(self) -> None:
        made = embedder().embed([record.text for record in self.store.memories], kind="passage")
        ids = [record.id for record in self.store.memories]
        self.vectors = {id_: list(vector) for id_, vector in zip(ids, made, strict=True)}

    def all(self) -> Iterator[Read]:
        """Every step that picks memories, over both views of the store."""
        memories = self.store.memories
        for row in self.store.rows:
            yield from self._read(row, View(memories, len(memories)), absent=False)
        for row in self.store.rows:
            wanted = [set(ids) for ids in row.hits if ids]
            if wanted and all(ids <= self._missed for ids in wanted) and not _news(row):
                yield from self._read(row, View(self.left, len(self.left)), absent=True)

    @property
    def _hiding(self) -> list[Row]:
        """The rows that hide memories."""
        return [row for row in self.store.rows if any(step.hides for step in row.draft.steps)]

    @cached_property
    def _missed(self) -> frozenset[str]:
        """The ids that are meant and left out of the second view."""
        rng = random.Random(self.store.name)
        meant = sorted({id_ for row in self._hiding for ids in row.hits for id_ in ids}, key=int)
        return frozenset(rng.sample(meant, min(_MISSED, len(meant))))

    @cached_property
    def left(self) -> tuple[Record, ...]:
        """The memories of the second view."""
        return tuple(record for record in self.store.memories if record.id not in self._missed)

    def _read(self, row: Row, view: View, *, absent: bool) -> Iterator[Read]:
        """Every writing step of the reader's draft for a row that picks memories; if it asks back,
        of the draft that it would write otherwise."""
        assert self.provider is not None
        turns = tuple(map(Turn, row.before))
        sampling = Sampling(max_tokens=400)
        question = asking(view, row.utterance, turns, self.provider.profile, sampling)
        try:
            answer = self.provider.complete(question)
        except ModelOutputError:
            return
        draft = drafted(answer, view)
        asked = isinstance(draft, Draft) and bool(draft.ask)
        if asked:
            profile = self.provider.profile
            question = asking(view, row.utterance, turns, profile, sampling, steps=True)
            answer = self.provider.complete(question)
            draft = drafted(answer, view)
        if not isinstance(draft, Draft):
            return
        for step, sure in zip(draft.steps, picked(answer, view), strict=False):
            ids = step.listed("ids")
            if not ids or step.op in READS:
                continue
            agreed = 1.0
            if step.hides:
                prompt = tuned_prompt(view, row.utterance, turns, asks_for=step.op)
                agreed = agreement(
                    self.provider.complete(second(prompt, self.provider.profile, sampling))
                )
            right = not absent and _right(step, set(ids), row)
            yield Read(
                row.author, row.utterance, step.as_dict(), ids, absent, certainty(answer), agreed,
                sure, right, asked,
            )  # fmt: skip

    def judged(self, read: Read) -> Judged:
        """A step with what the request's own words say of its memories."""
        found, unseen = read.beside(self), read.beside(self, blind=True)
        told = found.twins(found.everything) if len(read.ids) == 1 else ()
        return Judged(
            read, found.borne_out, found.margin, unseen.borne_out, told[0][1] if told else None
        )


def _news(row: Row) -> bool:
    """Whether a request tells something that may be kept even if what it changes is not stored."""
    return any(step.op in ("Encode", "Update") for step in row.draft.steps)


def _right(step: Step, ids: set[str], row: Row) -> bool:
    """Whether the request has a step of that kind that means these memories, or these and more."""
    return any(
        ids <= set(hits) and (meant.op == step.op if step.hides else not meant.hides)
        for meant, hits in zip(row.draft.steps, row.hits, strict=True)
    )


def bound(likely: np.ndarray, right: np.ndarray, cost: float | np.ndarray) -> float:
    """The threshold from which on steps run without a question. It minimises the right ones that
    are asked about plus the wrong ones that run, weighted by ``cost``; of nearly equal ones it is
    the highest."""

    def spent(least: float) -> float:
        runs = likely >= least
        return float(right[~runs].sum() + ((1 - right) * cost)[runs].sum())

    bounds = [round(float(least), 2) for least in np.arange(0.05, 1.0, 0.05)]
    best = min(map(spent, bounds))
    return max(least for least in bounds if spent(least) <= _NEARLY * best)


def weights(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The weights of a logistic regression without negative ones: no higher certainty may count
    against a step."""
    kept = [*range(x.shape[1])]
    while True:
        found = regression(x[:, kept], y)
        against = [k for k, w in zip(kept, found, strict=True) if w < 0 and k]
        if not against:
            out = np.zeros(x.shape[1])
            out[kept] = found
            return out
        kept = [k for k in kept if k not in against]


def weighed(
    x: np.ndarray, judged: Sequence[Judged], name: str, cost: float | None = None
) -> tuple[list[float], float, np.ndarray]:
    """The weights, the threshold (even odds without a ``cost``), and the probability of each step
    by weights fitted to other authors."""
    y = np.array([each.read.right for each in judged], float)
    authors = np.array([each.read.author for each in judged])
    out = by_others(weights, x, y, authors)
    least = _EVEN if cost is None else bound(out, y, cost)
    kept = out >= least
    print(f"{name}: {len(y)} steps, {y.mean():.3f} right; from {least} on {kept.sum()}, of which "
          f"{y[kept].mean():.3f} right; {y[~kept].sum():.0f} right ones are asked")  # fmt: skip
    return [round(float(w), 3) for w in weights(x, y)], least, out


def main() -> None:
    """The command line."""
    judged: list[Judged] = []
    for store, held in kept("trusting", __doc__, _read_over(), _read):
        reading = Reading(None, store)
        judged += [reading.judged(Read(**each)) for each in held]
    if judged:
        _fit(judged)


def _read(provider: Provider, store: Store) -> Iterator[Read]:
    return Reading(provider, store).all()


def _read_over() -> list[Store]:
    """The stores over which requests are read."""
    chosen: list[Store] = []
    for author in APART:
        every = 1 if "-plain-" in author else _EVERY
        chosen += stores(authors=[author])[::every]
    return chosen


def _fit(judged: Sequence[Judged]) -> None:
    """Fit the weights and thresholds, print how well they do, and write them."""
    sure = [each for each in judged if not each.read.asked]
    hiding = [each for each in sure if each.read.hides]
    others = [each for each in sure if not each.read.hides]
    x = np.array([each.features for each in hiding])
    hidden, safe, out = weighed(x, hiding, "what hides something", _COST)
    blind = np.array([each.features_blind for each in hiding])
    unseen, safe_unseen, _ = weighed(blind, hiding, "the same without vectors", _COST_BLIND)
    y = np.array([each.features for each in others])
    other, likely, _ = weighed(y, others, "other writes")
    joined = np.array([each.read.step["op"] == "Merge" for each in hiding])
    right = np.array([each.read.right for each in hiding], float)
    joins = bound(out[joined], right[joined], _COST_JOINED)
    for least in (safe, joins):
        kept = joined & (out >= least)
        print(f"merges: {joined.sum()} steps, {right[joined].sum():.0f} right; from {least} on "
              f"{kept.sum()}, of which {right[kept].sum():.0f} right")  # fmt: skip
    # Of the steps that would run otherwise: the probability of the op by both readings.
    by_both = np.where(
        out >= np.where(joined, joins, safe),
        [each.read.op * each.read.again for each in hiding],
        0.0,
    )
    well = bound(by_both, right, _COST)
    asked = _asked([each for each in judged if each.read.asked], other)
    limits = (hidden, safe), (unseen, safe_unseen), (other, likely)
    _write(well, joins, *limits, _nearer(sure), asked)


def _asked(judged: Sequence[Judged], other: Sequence[float]) -> float:
    """The probability from which on a step runs although the reader asked back: that of its
    memories, by the weights of other writes, times that of its op. The margin over other memories
    tells most; of a condition, the certainty of the op."""
    x = np.array([each.features for each in judged])
    sure = np.array([each.read.op * each.read.again for each in judged])
    likely = sure / (1 + np.exp(-x @ np.array(other)))
    right = np.array([each.read.right for each in judged], float)
    costs = np.array([_COST if each.read.hides else 1.0 for each in judged])
    found = bound(likely, right, costs)
    kept = likely >= found
    print(f"asked: {len(right)} steps, {right.mean():.3f} right; from {found} on {kept.sum()}, "
          f"of which {right[kept].sum():.0f} right")  # fmt: skip
    return found


def _nearer(judged: Sequence[Judged]) -> float:
    """How much nearer than its twins a memory has to be. It minimises the right steps that are
    asked about less the wrong ones that are."""
    told = [(each.twin, each.read.right) for each in judged if each.twin is not None]

    def asked(least: float) -> int:
        beside = [right for nearer, right in told if nearer < least]
        print(f"twins nearer than {least}: {sum(beside)} of {len(beside)} right")
        return sum(beside) - sum(not right for right in beside)

    return min((0.3, 0.25, 0.2, 0.15, 0.1, 0.05, 0.0), key=asked)


def _write(
    well: float, joins: float, hidden: Bound, blind: Bound, other: Bound, nearer: float,
    asked: float,
) -> None:  # fmt: skip
    Path(reader_limits.__file__).write_text(
        f'''"""When the tuned reader is trusted. Made by ``training/trusting.py``; do not edit."""

from __future__ import annotations

Weights = tuple[float, float, float, float]

READ_WELL = {well}
"""The least probability, by both readings, of an op that destroys or hides without a question."""
HIDES: Weights = {tuple(hidden[0])}
"""Weights for the memories of a step that destroys or hides: a constant, and those of the log-odds
of how certain the reader is of them, of how well the request's own words fit them, and of how much
better than any other memory."""
SAFE = {hidden[1]}
"""The least probability of such memories without a question."""
JOINS = {joins}
"""The same for memories that are merged, in any store: a merge keeps their content."""
HIDES_BLIND: Weights = {(*blind[0], 0.0)}
SAFE_BLIND = {blind[1]}
"""``HIDES`` and ``SAFE`` for a store without vectors."""
CHANGES: Weights = {tuple(other[0])}
"""Weights for any other step that writes."""
LIKELY = {other[1]}
"""The least probability of the memories of such a step without a question."""
TWINS = {nearer}
"""If another memory holds as many words of the request as the picked one, how much nearer the
picked one must be (by cosine), so that no question is asked."""
ASKED = {asked}
"""The least probability of a step if the reader asked back."""
''',
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
