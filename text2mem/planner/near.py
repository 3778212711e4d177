"""Near: the few memories that a small reader is shown beside a request, each under a letter.

What the store holds decides what is meant: the same sentence is news where nothing is known of the
matter, and a correction where something is. A small model reads five lines, not a store; it names
them by letter, and the letters become ids in its draft.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from text2mem.ir.record import Record
from text2mem.planner.ask import Ask
from text2mem.planner.draft import Draft, Step
from text2mem.planner.rank import Vector, rank

LETTERS = "ABCDE"
_POOL = 24
_SHARE = 0.08
"""The least share of the best one's probability: what is farther is not shown."""


def near_memories(ask: Ask) -> tuple[Record, ...]:
    """The memories nearest to what is asked, the best first; none without a store."""
    if ask.store is None:
        return ()
    words = sentence(ask.utterance, ask.before)
    vector = tuple(ask.embedder.embed([words], kind="query")[0]) if ask.embedder else None
    hits = ask.store.search(words, vector=vector, limit=_POOL, include=("archived",), floor=False)
    pool = [hit.record for hit in hits]
    vectors = ask.store.vectors([record.id for record in pool]) if vector is not None else {}
    return nearest(words, pool, vector, dict(vectors))


def sentence(utterance: str, before: Sequence[str]) -> str:
    """The words by which memories are sought: the request, and what was said just before."""
    return " ".join((*before[-1:], utterance))


def nearest(
    words: str, pool: Sequence[Record], vector: Vector | None, vectors: Mapping[str, Vector]
) -> tuple[Record, ...]:
    """The memories of a pool that are shown beside ``words``."""
    fits = rank(words, pool, vector, vectors)[: len(LETTERS)]
    least = _SHARE * fits[0].probability if fits else 0.0
    return tuple(fit.record for fit in fits if fit.probability >= least)


def lettered(draft: Draft, ids: Sequence[str]) -> Draft:
    """A draft as the reader is to write it: letters for the ``ids`` of what it is shown."""
    names = dict(zip(ids, LETTERS, strict=False))
    steps = [
        _with_ids(step, sorted({names[id_] for id_ in step.listed("ids") if id_ in names}))
        for step in draft.steps
    ]
    return replace(draft, steps=tuple(steps))


def identified(draft: Draft, shown: Sequence[Record]) -> Draft:
    """A draft with the memories that its letters point at as what its steps ``picked``."""
    names = {letter: record.id for letter, record in zip(LETTERS, shown, strict=False)}
    steps = []
    for step in draft.steps:
        ids = step.listed("ids")
        picked = tuple(names[id_] for id_ in ids if id_ in names)
        said = [id_ for id_ in ids if id_ not in LETTERS]
        steps.append(replace(_with_ids(step, said), picked=picked))
    return replace(draft, steps=tuple(steps))


def _with_ids(step: Step, ids: Sequence[str]) -> Step:
    values = {key: value for key, value in step.values.items() if key != "ids"}
    return replace(step, values={**values, "ids": list(ids)} if ids else values)
