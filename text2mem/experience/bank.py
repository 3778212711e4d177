"""The bank: a person's episodes, kept in a store under a tenant of their own.

They are ordinary memories there, so every backend keeps, searches and erases them. Programs of the
person's own tenant cannot reach them, and no memory of that tenant is taken for an episode. An
episode is shown only to its actor, and is erased with the memories that it rests on.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path

from text2mem.adapters.base import Adapter, Scope
from text2mem.adapters.registry import open_adapter
from text2mem.errors import ConfigurationError
from text2mem.executor import Prepared
from text2mem.executor.frame import ERASE_PENDING
from text2mem.experience.episode import Episode, episode_of
from text2mem.experience.selecting import Candidate, pick
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import ByFilter, ByIds, Delete
from text2mem.ir.ports import Embedder, StoreView
from text2mem.ir.record import Record
from text2mem.ir.result import ProgramResult
from text2mem.ir.words.likeness import cosine, dot
from text2mem.program import Program
from text2mem.running import run_program
from text2mem.services.embedding.asking import kept_vectors, vectors_of

_log = logging.getLogger("text2mem")
NEAREST = 10
_WIDER = 4
"""The factor by which a search is widened if other actors' episodes precede the actor's own."""
_ALIKE = 0.2
"""How much nearer two requests must be than a search hit. Of 332 words of one's own, half are that
near to what explained them (two thirds of the questions); of 2,024 other requests of the same
people, one in fifty."""


class Bank:
    """The episodes of one actor of a tenant. Calls raise AdapterError, and ExecutionError if the
    store refuses. An erasure that is left to a tick is logged."""

    def __init__(
        self, adapter: Adapter, context: ExecutionContext, embedder: Embedder | None = None
    ) -> None:
        self.adapter = adapter
        self._actor = context.actor or ""
        self._context = context.of_its_bank()
        self._embedder = embedder
        self._prepared = Prepared.of(embedder=embedder)

    def of(self, actor: str | None) -> Bank:
        """The same bank for another actor, who sees only their own episodes."""
        other = copy(self)
        other._actor = actor or ""
        return other

    def keep(self, episode: Episode) -> Episode | None:
        """Keep an episode in place of earlier ones of its request; None unless it ``teaches``."""
        if not episode.teaches:
            return None
        program = Program.load(
            [replace(episode, actor=self._actor).encoded()], now=self._context.clock.now()
        )
        same = (row for row in self._records() if row.text == episode.request)
        earlier = tuple(each.id for each in self._own(same))
        if earlier:
            gone = Delete(target=ByIds(earlier), soft=False)
            program = replace(program, ops=(gone, *program.ops))
        return self.show(self._run(program).results[-1].created[0])

    def all(self) -> Iterator[Episode]:
        """Every episode of the actor, the newest first."""
        return self._own(self._records())

    def show(self, id_: str) -> Episode | None:
        """An episode of the actor; None if there is none."""
        return next(self._own(self._view().find([id_]).values()), None)

    def forget(self, ids: Iterable[str]) -> int:
        """Erase episodes of the actor and their journal entries; return how many."""
        own = tuple(each.id for each in self._own(self._view().find([*ids]).values()))
        if not own:
            return 0
        erasing = Program((Delete(target=ByIds(own), soft=False),))
        return len(self._run(erasing).results[0].affected)

    def like(self, request: str) -> Episode | None:
        """The episode that a reader of this request is shown, or None."""
        return pick(request, self.candidates(request))

    def candidates(self, request: str, limit: int = NEAREST) -> Sequence[Candidate]:
        """The nearest episodes by words and vectors, without those of this very request."""
        made = vectors_of([request], self._embedder)
        vector = tuple(made[0]) if made else None
        near = self._near(request, vector, limit)
        said = [each.told or each.request for each in near]
        told = kept_vectors(said, self._embedder, kind="passage") if made else None
        if vector is None or told is None:
            return [Candidate(each) for each in near]
        stored = self._view().vectors([each.id for each in near])
        return [
            Candidate(
                each, cosine(vector, stored.get(each.id)) or 0.0, cosine(vector, words) or 0.0
            )
            for each, words in zip(near, told, strict=True)
        ]

    def alike(self, request: str, told: str) -> bool:
        """Whether one request may say the other in other words, by vectors; False without these."""
        made = vectors_of([request, told], self._embedder, kind="passage")
        if made is None or self._embedder is None:
            return False
        return dot(*made) >= self._embedder.threshold + _ALIKE

    def close(self) -> None:
        """Release the store."""
        self.adapter.close()

    def _view(self) -> StoreView:
        return self.adapter.view(self._context)

    def _near(
        self, request: str, vector: tuple[float, ...] | None, limit: int
    ) -> Sequence[Episode]:
        reach = limit
        while True:
            hits = self._view().search(request, vector=vector, limit=reach)
            own = list(self._own(hits))
            if len(own) >= limit or len(hits) < reach:
                return [each for each in own[:limit] if each.request != request]
            reach *= _WIDER

    def _records(self) -> Sequence[Record]:
        """The bank's episodes of every actor, the newest first."""
        scope = Scope(context=self._context, now=self._context.clock.now())
        with self.adapter.transaction(write=False):
            return self.adapter.resolve(ByFilter(type="episode"), scope).rows

    def _own(self, records: Iterable[Record]) -> Iterator[Episode]:
        found = (each for each in map(episode_of, records) if each is not None)
        return (each for each in found if each.actor == self._actor)

    def _run(self, program: Program) -> ProgramResult:
        result = run_program(program, self.adapter, self._context, self._prepared).checked()
        if ERASE_PENDING in result.results[-1].warnings:
            _log.warning("experience: %s", ERASE_PENDING)
        return result


def bank_of(
    store: str | Path | Adapter, context: ExecutionContext, embedder: Embedder | None = None
) -> Bank:
    """The bank beside a store that is given by its name. Raises ConfigurationError for an open
    adapter, which has another tenant, and what ``open_adapter`` raises."""
    if isinstance(store, Adapter):
        raise ConfigurationError(
            "an open store has one tenant, and episodes stand under another",
            hint="name the store in place of an adapter, or give a Bank",
        )
    return Bank(open_adapter(store, tenant=context.of_its_bank().tenant), context, embedder)
