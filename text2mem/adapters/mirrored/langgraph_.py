"""The keeper for LangGraph: SqliteStore, PostgresStore, or another ``BaseStore`` that is given."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from text2mem.adapters.mirrored.items import OURS, item_of
from text2mem.adapters.mirrored.keeper import EVERYTHING, Item, Keeper
from text2mem.adapters.mirrored.langgraph_stores import Database, File, opened_database, opened_file
from text2mem.adapters.mirrored.place import Place, PlacedAdapter
from text2mem.adapters.mirrored.vectors import Vectors, opened_vectors

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore

TEXTS = ("text", "content", "memory")
"""The names under which a value may have its text; one without any is a text as a whole (JSON)."""


class LangGraphKeeper(Keeper):
    """The keeper of one namespace of a store. What others wrote into a value stays there."""

    name: ClassVar[str] = "langgraph"

    def __init__(
        self,
        store: BaseStore,
        namespace: tuple[str, ...],
        *,
        ground: File | Database | None = None,
        vectors: Vectors | None = None,
    ) -> None:
        """``ground`` is the store's database, if it is to be cleaned after erasures and closed with
        the keeper. ``vectors`` are those of the store's index."""
        self._store = store
        self._namespace = namespace
        self._ground = ground
        self._vectors = vectors

    @property
    def place(self) -> str:
        return "/".join(self._namespace)

    @property
    def vectors(self) -> str:
        """The model of the store's index; empty if it has none."""
        return "" if self._vectors is None else self._vectors.model

    def put(self, items: Sequence[Item]) -> None:
        """Store items in batches in which no text occurs twice. InMemoryStore embeds equal texts of
        a batch once only, and so misses the others."""
        from langgraph.store.base import GetOp, PutOp

        gets = [GetOp(self._namespace, item.key, refresh_ttl=False) for item in items]
        batches: defaultdict[int, list[PutOp]] = defaultdict(list)
        times: Counter[str] = Counter()
        for item, there in zip(items, self._store.batch(gets), strict=True):
            value = as_value(item, {} if there is None else there.value)  # type: ignore[union-attr]
            batches[times[item.text]].append(PutOp(self._namespace, item.key, value))
            times[item.text] += 1
        for batch in batches.values():
            self._store.batch(batch)

    def remove(self, keys: Sequence[str]) -> None:
        from langgraph.store.base import PutOp

        self._store.batch([PutOp(self._namespace, key, None) for key in keys])
        if self._ground is not None:
            self._ground.swept(self._namespace, keys)

    def scan(self) -> Sequence[Item]:
        """All items of the namespace, without those of namespaces below it."""
        # At once, since many may share the instant by which LangGraph's pages are ordered.
        values = self._store.search(self._namespace, limit=EVERYTHING, refresh_ttl=False)
        return [_as_item(i.key, i.value) for i in values if i.namespace == self._namespace]

    def search(self, text: str, k: int) -> Sequence[tuple[str, float]]:
        """Search by the store's index. A store without one has no scores, so there are no hits."""
        hits = self._store.search(self._namespace, query=text, limit=k, refresh_ttl=False)
        found = [(i.key, i.score or 0) for i in hits if i.namespace == self._namespace]
        return [(key, score) for key, score in found if score > 0]

    def erase(self) -> None:
        if self._ground is not None:
            self._ground.erase()

    def close(self) -> None:
        if self._ground is not None:
            self._ground.close()


def _as_item(key: str, value: Mapping[str, Any]) -> Item:
    name = _text_name(value)
    text = _whole(value) if name is None else str(value[name])
    return item_of(key, text, value, () if name is None else (name,))


def as_value(item: Item, there: Mapping[str, Any]) -> dict[str, Any]:
    """An item as a value. Of the present value ``there``, all but text and metadata is kept."""
    value = {**there, OURS: dict(item.metadata)}
    name = _text_name(there)
    if name is not None or item.text != _whole(there):
        value[name or TEXTS[0]] = item.text
    return value


def _whole(value: Mapping[str, Any]) -> str:
    """A value as JSON, without our metadata."""
    others = {name: part for name, part in value.items() if name != OURS}
    return json.dumps(others, ensure_ascii=False, sort_keys=True)


def _text_name(value: Mapping[str, Any]) -> str | None:
    """The name under which a value has its text; None if it has none."""
    return next((name for name in TEXTS if isinstance(value.get(name), str)), None)


class LangGraphAdapter(PlacedAdapter):
    """The adapter of ``langgraph:FILE`` and ``langgraph:postgresql://…``: LangGraph's own stores,
    each with a sidecar."""

    name: ClassVar[str] = "langgraph"
    namespace: ClassVar[str] = "text2mem/{tenant}/memories"

    @staticmethod
    def open_keeper(at: Place, vectors: Vectors | None = None) -> LangGraphKeeper:
        if vectors is None and at.search == "framework":
            vectors = opened_vectors(at)
        opened = opened_database if at.is_remote else opened_file
        store, ground = opened(at, None if vectors is None else index_of(vectors))
        return LangGraphKeeper(store, at.namespace, ground=ground, vectors=vectors)


def index_of(vectors: Vectors) -> Any:
    """The argument ``index`` of LangGraph's stores."""
    return {
        "dims": vectors.dimension, "embed": vectors.passages, "fields": list(TEXTS),
        "text_fields": list(TEXTS),  # SqliteStore reads this in place of ``fields``
    }  # fmt: skip
