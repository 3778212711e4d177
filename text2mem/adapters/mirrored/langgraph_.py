"""Stores of LangGraph as keepers: SqliteStore, or any other ``BaseStore`` that is handed in."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from text2mem.adapters.mirrored.items import OURS, item_of
from text2mem.adapters.mirrored.keeper import Item, Page, ValueKeeper
from text2mem.adapters.mirrored.place import Place
from text2mem.adapters.mirrored.placed import PlacedAdapter
from text2mem.adapters.mirrored.vectors import Vectors, opened_vectors
from text2mem.errors import ConfigurationError, MissingExtra, StoreError

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore

TEXTS = ("text", "content", "memory")
"""Where a value's text may stand; one without any is a text as a whole, in JSON."""


class LangGraphKeeper(ValueKeeper):
    """One namespace of a store. A value keeps what others have written beside the text."""

    name: ClassVar[str] = "langgraph"

    def __init__(
        self,
        store: BaseStore,
        namespace: tuple[str, ...],
        *,
        connection: sqlite3.Connection | None = None,
        vectors: Vectors | None = None,
    ) -> None:
        """A ``connection`` is closed, and cleaned after erasures; ``vectors`` made its index."""
        self._store = store
        self._namespace = namespace
        self._connection = connection
        self._vectors = vectors

    @property
    def place(self) -> str:
        """The namespace."""
        return "/".join(self._namespace)

    @property
    def vectors(self) -> str:
        """Those that its index is made of."""
        return "" if self._vectors is None else self._vectors.model

    def put(self, items: Sequence[Item]) -> None:
        """In a batch, or in as many as a text occurs: InMemoryStore embeds one only once."""
        from langgraph.store.base import PutOp

        there = self.values([item.key for item in items])
        batches: list[list[PutOp]] = []
        times: Counter[str] = Counter()
        for item in items:
            if times[item.text] == len(batches):
                batches.append([])
            value = as_value(item, there.get(item.key, {}))
            batches[times[item.text]].append(PutOp(self._namespace, item.key, value))
            times[item.text] += 1
        for batch in batches:
            self._store.batch(batch)

    def remove(self, keys: Sequence[str]) -> None:
        """In one batch."""
        from langgraph.store.base import PutOp

        self._store.batch([PutOp(self._namespace, key, None) for key in keys])
        if self._connection is not None and _has_vectors(self._connection):
            # SqliteStore leaves them to a foreign key, which SQLite minds only where it is told to.
            prefix = ".".join(self._namespace)
            self._connection.executemany(
                "DELETE FROM store_vectors WHERE prefix = ? AND key = ?",
                [(prefix, key) for key in keys],
            )

    def values(self, keys: Sequence[str]) -> Mapping[str, Mapping[str, Any]]:
        """In one batch."""
        from langgraph.store.base import GetOp

        found = self._store.batch([GetOp(self._namespace, key, refresh_ttl=False) for key in keys])
        return {item.key: item.value for item in found if item is not None}  # type: ignore[union-attr]

    @staticmethod
    def item(key: str, value: Mapping[str, Any]) -> Item:
        """Its text stands under one of ``TEXTS``, or is the whole of it."""
        named = _text_name(value)
        text = _whole(value) if named is None else str(value[named])
        return item_of(key, text, value, () if named is None else (named,))

    def scan(self, after: str | None, limit: int) -> Page:
        """By the place in LangGraph's order; namespaces below are somebody else's."""
        start = int(after or 0)
        found = self._store.search(self._namespace, limit=limit, offset=start, refresh_ttl=False)
        items = [self.item(i.key, i.value) for i in found if i.namespace == self._namespace]
        return Page(items, str(start + limit) if len(found) == limit else None)

    def search(self, text: str, k: int, filter: Mapping[str, Any]) -> Sequence[tuple[str, float]]:
        """By the index that the store was made with; without one it knows no relevance."""
        wanted = {f"{OURS}.{name}": value for name, value in filter.items()}
        found = self._store.search(
            self._namespace, query=text, limit=k, filter=wanted or None, refresh_ttl=False
        )
        return [
            (item.key, item.score)
            for item in found
            if item.namespace == self._namespace and item.score is not None and item.score > 0
        ]

    def erase(self) -> None:
        """Rewrites the file, and empties its log."""
        if self._connection is not None:
            self._connection.execute("VACUUM")
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """The connection, where it is ours."""
        if self._connection is not None:
            self._connection.close()


def as_value(item: Item, there: Mapping[str, Any]) -> dict[str, Any]:
    """An item as a value; what others have written beside the text stays."""
    value = {**there, OURS: dict(item.metadata)}
    named = _text_name(there)
    if named is not None or item.text != _whole(there):
        value[named or TEXTS[0]] = item.text
    return value


def _whole(value: Mapping[str, Any]) -> str:
    """A value without a text, as one."""
    left = {name: held for name, held in value.items() if name != OURS}
    return json.dumps(left, ensure_ascii=False, sort_keys=True)


def _has_vectors(connection: sqlite3.Connection) -> bool:
    found = "SELECT 1 FROM sqlite_master WHERE name = 'store_vectors'"
    return connection.execute(found).fetchone() is not None


def _text_name(value: Mapping[str, Any]) -> str | None:
    return next((name for name in TEXTS if isinstance(value.get(name), str)), None)


class LangGraphAdapter(PlacedAdapter):
    """``langgraph:FILE``: a SqliteStore, and a sidecar beside its file."""

    name: ClassVar[str] = "langgraph"
    namespace: ClassVar[str] = "text2mem/{tenant}/memories"

    @staticmethod
    def open_keeper(at: Place) -> LangGraphKeeper:
        """The namespace of a file. Raises ConfigurationError, MissingExtra and StoreError."""
        try:
            from langgraph.store.sqlite import SqliteStore
        except ImportError as error:
            raise MissingExtra("LangGraph's store", extra="langgraph") from error
        vectors = opened_vectors(at) if at.search == "framework" else None
        try:
            connection = sqlite3.connect(at.path, isolation_level=None, check_same_thread=False)
            for pragma in ("secure_delete = ON", "busy_timeout = 30000"):
                connection.execute(f"PRAGMA {pragma}")
            store = SqliteStore(connection, index=None if vectors is None else index_of(vectors))
            store.setup()
        except AttributeError as error:
            connection.close()
            raise ConfigurationError(
                "LangGraph's search needs an extension of SQLite, and this Python loads none",
                hint="leave search=framework out, or use a Python whose sqlite3 loads extensions",
            ) from error
        except sqlite3.Error as error:
            raise StoreError(f"cannot open {at.path} as a store of LangGraph: {error}") from error
        return LangGraphKeeper(store, at.namespace, connection=connection, vectors=vectors)


def index_of(vectors: Vectors) -> Any:
    """What a store of LangGraph takes as its ``index``."""
    return {"dims": vectors.dimension, "embed": vectors.passages, "fields": list(TEXTS)}
