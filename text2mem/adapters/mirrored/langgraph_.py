"""Stores of LangGraph as keepers: its own two, or any other ``BaseStore`` that is handed in."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from text2mem.adapters.mirrored.items import OURS, item_of
from text2mem.adapters.mirrored.keeper import EVERYTHING, Item, Keeper
from text2mem.adapters.mirrored.langgraph_stores import Database, File, opened_database, opened_file
from text2mem.adapters.mirrored.place import Place
from text2mem.adapters.mirrored.placed import PlacedAdapter
from text2mem.adapters.mirrored.vectors import Vectors, opened_vectors

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore

TEXTS = ("text", "content", "memory")
"""Where a value's text may stand; one without any is a text as a whole, in JSON."""


class LangGraphKeeper(Keeper):
    """One namespace of a store. A value keeps what others have written beside the text."""

    name: ClassVar[str] = "langgraph"

    def __init__(
        self,
        store: BaseStore,
        namespace: tuple[str, ...],
        *,
        ground: File | Database | None = None,
        vectors: Vectors | None = None,
    ) -> None:
        """A ``ground`` is cleaned after erasures, and closed; ``vectors`` made its index."""
        self._store = store
        self._namespace = namespace
        self._ground = ground
        self._vectors = vectors

    @property
    def place(self) -> str:
        return "/".join(self._namespace)

    @property
    def vectors(self) -> str:
        """Those that its index is made of."""
        return "" if self._vectors is None else self._vectors.model

    def put(self, items: Sequence[Item]) -> None:
        """In a batch, or in as many as a text occurs: InMemoryStore embeds one only once."""
        from langgraph.store.base import GetOp, PutOp

        asked = [GetOp(self._namespace, item.key, refresh_ttl=False) for item in items]
        found = [held for held in self._store.batch(asked) if held is not None]
        there = {held.key: held.value for held in found}  # type: ignore[union-attr]
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
        from langgraph.store.base import PutOp

        self._store.batch([PutOp(self._namespace, key, None) for key in keys])
        if self._ground is not None:
            self._ground.swept(self._namespace, keys)

    def scan(self) -> Sequence[Item]:
        """All at once: pages of LangGraph's go by the instant, which many values may share.

        Namespaces below are somebody else's.
        """
        found = self._store.search(self._namespace, limit=EVERYTHING, refresh_ttl=False)
        return [_as_item(i.key, i.value) for i in found if i.namespace == self._namespace]

    def search(self, text: str, k: int) -> Sequence[tuple[str, float]]:
        """By the index that the store was made with; without one it knows no relevance."""
        found = self._store.search(self._namespace, query=text, limit=k, refresh_ttl=False)
        return [
            (item.key, item.score)
            for item in found
            if item.namespace == self._namespace and item.score is not None and item.score > 0
        ]

    def erase(self) -> None:
        """What it stands on, where that is ours."""
        if self._ground is not None:
            self._ground.erase()

    def close(self) -> None:
        """What it stands on, where that is ours."""
        if self._ground is not None:
            self._ground.close()


def _as_item(key: str, value: Mapping[str, Any]) -> Item:
    """A value, whose text stands under one of ``TEXTS``, or is the whole of it."""
    named = _text_name(value)
    text = _whole(value) if named is None else str(value[named])
    return item_of(key, text, value, () if named is None else (named,))


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


def _text_name(value: Mapping[str, Any]) -> str | None:
    return next((name for name in TEXTS if isinstance(value.get(name), str)), None)


class LangGraphAdapter(PlacedAdapter):
    """``langgraph:FILE`` or ``langgraph:postgresql://…``: one of LangGraph's own stores."""

    name: ClassVar[str] = "langgraph"
    namespace: ClassVar[str] = "text2mem/{tenant}/memories"

    @staticmethod
    def open_keeper(at: Place, vectors: Vectors | None = None) -> LangGraphKeeper:
        """The namespace of a store. Raises ConfigurationError, MissingExtra and StoreError."""
        if vectors is None and at.search == "framework":
            vectors = opened_vectors(at)
        opened = opened_database if at.is_remote else opened_file
        store, ground = opened(at, None if vectors is None else index_of(vectors))
        return LangGraphKeeper(store, at.namespace, ground=ground, vectors=vectors)


def index_of(vectors: Vectors) -> Any:
    """What a store of LangGraph takes as its ``index``."""
    return {
        "dims": vectors.dimension, "embed": vectors.passages, "fields": list(TEXTS),
        "text_fields": list(TEXTS),  # what SqliteStore reads in place of ``fields``
    }  # fmt: skip
