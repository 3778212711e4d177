"""The part of a view that is the same for all backends: searches, ids and filters go through
``Adapter.resolve``.

A view changes nothing. So it leaves out a memory whose expiry is due, whatever the expiry will do.
If a temporary demotion is over, the view runs what a tick would do, reads, and rolls back.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from text2mem.adapters.base import Adapter, Embedding, Env, Scope, Selection, Vector
from text2mem.adapters.transactions import transact
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import ByFilter, ByIds, BySearch
from text2mem.ir.ports import Away, Hidden, StoreView, Vocabulary
from text2mem.ir.record import Record
from text2mem.ir.times.temporal import TimeRange

P = ParamSpec("P")
T = TypeVar("T")
V = TypeVar("V", bound="AdapterView")

VIEW_REACH = 10_000
"""How many of the newest memories a view reads for its vocabulary and its recent memories."""
SELECT_LIMIT = 256


@dataclass(frozen=True, slots=True)
class OneVector:
    """Services that know the vector of one query, or nothing, as serves a tick."""

    vector: Vector | None = None
    embedding: Embedding | None = None

    def query_vector(self, text: str) -> Vector | None:
        return self.vector

    def vectors(self, texts: Sequence[str]) -> Sequence[None]:
        return [None] * len(texts)

    def split(self, text: str, instruction: str) -> Sequence[str]:
        return [text]

    def fetch(self, url: str) -> None:
        return None


def as_woken(read: Callable[Concatenate[V, P], T]) -> Callable[Concatenate[V, P], T]:
    """Decorate a method of a view so that it reads in a transaction that is rolled back; if a
    temporary demotion is over, on a store that is settled. No write lock is taken for an expiry: a
    view's scope leaves it out."""

    @wraps(read)
    def read_woken(view: V, /, *args: P.args, **kwargs: P.kwargs) -> T:
        def body() -> T:
            if view._over():
                view._adapter.settle(Env.of(view._context, OneVector()))
            return read(view, *args, **kwargs)

        return transact(view._adapter, body, keep=False, write=False)

    return read_woken


class AdapterView(StoreView):
    """A StoreView over an adapter, as the actor of a context, at the instant of each call."""

    def __init__(self, adapter: Adapter, context: ExecutionContext) -> None:
        self._adapter = adapter
        self._context = context

    # --- by each backend -------------------------------------------------------------------

    @abstractmethod
    def recent(self, limit: int = 8, *, facts: bool = False) -> Sequence[Record]:
        """The newest memories, or with ``facts`` the newest facts, by time and then creation."""

    @abstractmethod
    def recent_subjects(self, limit: int) -> Sequence[str]:
        """The subjects of the newest facts as name keys, one per fact, newest first."""

    @abstractmethod
    def subjects_among(self, names: Collection[str]) -> set[str]:
        """Those of the name keys that are the subject of some memory, whoever may read it."""

    @abstractmethod
    def vocabulary(
        self, limit: int = 256, *, include: Hidden = (), facts: int | None = None
    ) -> Vocabulary:
        """The tags, subjects and attributes of the newest ``VIEW_REACH`` memories. If ``facts`` is
        given, only the subjects and attributes of so many of the newest facts."""

    @abstractmethod
    def _embedding(self) -> Embedding | None:
        """The model of the store's vectors and the recorded threshold; None without vectors."""

    @abstractmethod
    def _over(self) -> bool:
        """Whether a temporary demotion is over and has not been reversed yet."""

    # --- by resolution ---------------------------------------------------------------------

    @as_woken
    def search(
        self,
        query: str,
        *,
        vector: tuple[float, ...] | None = None,
        limit: int = 8,
        include: Hidden = (),
    ) -> Sequence[Record]:
        scope = self._scope(include)
        if vector is not None and (embedding := self._embedding()) is not None:
            scope = replace(scope, services=OneVector(vector, embedding))
        return list(self._adapter.resolve(BySearch(query=query, limit=limit), scope).rows)

    @as_woken
    def find(self, ids: Sequence[str]) -> Mapping[str, Record]:
        target = ByIds(tuple(id_ for id_ in ids if id_.isascii() and id_.isdecimal()))
        rows = self._adapter.resolve(target, self._scope(("deleted",))).rows
        return {row.id: row for row in rows}

    def select(
        self, filter: ByFilter, *, noted: Sequence[TimeRange] | None = None,
        away: Away | None = None,
    ) -> Selection:  # fmt: skip
        limit = SELECT_LIMIT if filter.limit is None else min(filter.limit, SELECT_LIMIT)
        return self._selected(replace(filter, limit=limit), noted, away)

    def everything(self, limit: int, *, include: Hidden = ()) -> Selection:
        return self._selected(ByFilter(include=tuple(include), limit=limit))

    @as_woken
    def _selected(
        self, filter: ByFilter, noted: Sequence[TimeRange] | None = None,
        away: Away | None = None,
    ) -> Selection:  # fmt: skip
        return self._adapter.resolve(filter, replace(self._scope(()), noted=noted, away=away))

    def _scope(self, include: Hidden) -> Scope:
        return Scope(
            context=self._context, now=self._now,
            archived="archived" in include, deleted="deleted" in include, due=False,
        )  # fmt: skip

    @property
    def _now(self) -> datetime:
        return self._context.clock.now()


def vocabulary(counts: Mapping[str, Counter[Any]], limit: int) -> Vocabulary:
    """A vocabulary of the most frequent values; ``counts`` are by the fields of ``Vocabulary``."""
    return Vocabulary(**{name: tuple(most_frequent(n, limit)) for name, n in counts.items()})


def most_frequent(counted: Counter[Any], limit: int) -> list[Any]:
    """The ``limit`` most frequent keys; equally frequent ones are sorted."""
    return sorted(counted, key=lambda key: (-counted[key], key))[:limit]
