"""What the views of all backends do alike: searches, ids and filters by ``Adapter.resolve``.

A memory whose expiry is due is left out, whatever is to become of it: a view changes nothing, and
the next program or tick carries it out before anything else. Where a demotion for a while is over,
a view looks at the store as a tick would leave it, and rolls that back.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from text2mem.adapters.base import Adapter, Embedding, Env, Scope, Selection, Vector
from text2mem.adapters.transactions import Mended, unit
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import ByFilter, ByIds, BySearch
from text2mem.ir.ports import Hidden, StoreView, Vocabulary
from text2mem.ir.record import Record
from text2mem.ir.times.temporal import TimeRange

P = ParamSpec("P")
T = TypeVar("T")
V = TypeVar("V", bound="AdapterView")

VIEW_REACH = 10_000
"""How many of the newest memories a view looks at for what it is not asked for by name."""
SELECT_LIMIT = 256


@dataclass(frozen=True, slots=True)
class OneVector:
    """Services for a search whose question has its vector already; they do nothing else.

    Without one, for a tick, which needs none.
    """

    vector: Vector | None = None
    embedding: Embedding | None = None

    def query_vector(self, text: str) -> Vector | None:
        """The vector that was made."""
        return self.vector

    def vectors(self, texts: Sequence[str]) -> Sequence[None]:
        """None is made."""
        return [None] * len(texts)

    def split(self, text: str, instruction: str) -> Sequence[str]:
        """In one piece."""
        return [text]

    def fetch(self, url: str) -> None:
        """Nothing is fetched."""


def as_ticked(read: Callable[Concatenate[V, P], T]) -> Callable[Concatenate[V, P], T]:
    """A read of a view, of the store as a tick would leave it."""

    @wraps(read)
    def ticked(view: V, *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            with view.ticked():
                return read(view, *args, **kwargs)
        except Exception as error:
            if not view.mended(error):
                raise
        with view.ticked():
            return read(view, *args, **kwargs)

    return cast("Callable[Concatenate[V, P], T]", ticked)


class AdapterView(StoreView):
    """A StoreView over an adapter, as the actor of a context and at each call's instant."""

    def __init__(self, adapter: Adapter, context: ExecutionContext) -> None:
        self._adapter = adapter
        self._context = context

    # --- what a backend knows better ------------------------------------------------------

    @abstractmethod
    def recent(self, limit: int = 8, *, facts: bool = False) -> Sequence[Record]:
        """The newest memories, or ``facts``, newest first; of the same time the one made last."""

    @abstractmethod
    def recent_subjects(self, limit: int) -> Sequence[str]:
        """Whom the newest facts are about, folded, one a fact, the newest first."""

    @abstractmethod
    def subjects_among(self, names: Collection[str]) -> set[str]:
        """Which of these folded names any memory has as its subject, whoever may read it.

        For whoever looks closer at those that are left: it spares a read for every name.
        """

    @abstractmethod
    def vocabulary(
        self, limit: int = 256, *, include: Hidden = (), facts: int | None = None
    ) -> Vocabulary:
        """What selectors can name, of the newest VIEW_REACH memories.

        ``facts``: the subjects and attributes of so many of the newest facts alone.
        """

    @abstractmethod
    def _embedding(self) -> Embedding | None:
        """Whose vectors the store holds, and the threshold that it recorded; None without any."""

    @abstractmethod
    def _over(self) -> bool:
        """Whether a demotion for a while is over and was not carried out yet."""

    def mended(self, error: Exception) -> bool:
        """Whether a read failed for a row that has been mended since."""
        return isinstance(error, Mended) or self._adapter.mended(error, self._now)

    @contextmanager
    def ticked(self) -> Iterator[None]:
        """A while in which no demotion is over; nothing of it is kept."""
        if not self._over():
            yield
            return
        with unit(self._adapter, keep=False):
            self._adapter.settle(Env.of(self._context, OneVector()))
            yield

    # --- by resolution ---------------------------------------------------------------------

    @as_ticked
    def search(
        self,
        query: str,
        *,
        vector: tuple[float, ...] | None = None,
        limit: int = 8,
        include: Hidden = (),
    ) -> Sequence[Record]:
        """The store's own search, the best first."""
        held = None if vector is None else self._embedding()
        scope = self._scope(include)
        if vector is not None and held is not None:
            scope = replace(scope, services=OneVector(vector, held))
        target = BySearch(query=query, limit=limit)
        with self._adapter.transaction(write=False):  # its statements see one state of the store
            return list(self._adapter.resolve(target, scope).rows)

    @as_ticked
    def find(self, ids: Sequence[str]) -> Mapping[str, Record]:
        """Those of the ids that exist and may be read."""
        wanted = ByIds(tuple(id_ for id_ in ids if id_.isascii() and id_.isdecimal()))
        found = self._adapter.resolve(wanted, self._scope(("deleted",))).rows
        return {row.id: row for row in found}

    def select(self, filter: ByFilter, *, noted: Sequence[TimeRange] | None = None) -> Selection:
        """What a filter hits, in its order, or in that in which memories were made."""
        limit = SELECT_LIMIT if filter.limit is None else min(filter.limit, SELECT_LIMIT)
        return self._selected(replace(filter, limit=limit), noted)

    def everything(self, limit: int, *, include: Hidden = ()) -> Selection:
        """The newest of all memories."""
        return self._selected(ByFilter(include=tuple(include), limit=limit))

    @as_ticked
    def _selected(self, filter: ByFilter, noted: Sequence[TimeRange] | None = None) -> Selection:
        return self._adapter.resolve(filter, replace(self._scope(()), noted=noted))

    def _scope(self, include: Hidden) -> Scope:
        return Scope(
            context=self._context, now=self._now,
            archived="archived" in include, deleted="deleted" in include, due=False,
        )  # fmt: skip

    @property
    def _now(self) -> datetime:
        return self._context.clock.now()


def vocabulary(counts: Mapping[str, Counter[Any]], limit: int) -> Vocabulary:
    """A vocabulary from how often each value occurs, by the name of its field of ``Vocabulary``."""
    return Vocabulary(**{name: tuple(most_frequent(each, limit)) for name, each in counts.items()})


def most_frequent(counted: Counter[Any], limit: int) -> list[Any]:
    """The keys of a count, the most frequent first, equally frequent ones in their order."""
    return sorted(counted, key=lambda key: (-counted[key], key))[:limit]
