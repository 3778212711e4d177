"""The keeper for mem0 with Qdrant in a folder: the memories of one user, without mem0's models.

mem0's ``add`` makes a new id for every text, even if the text is there already. So items are
written through the vector store of the ``Memory`` object, in mem0's own form. mem0 finds, lists
and deletes them like its own.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from hashlib import md5
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

from text2mem.adapters.mirrored.items import OURS, item_of
from text2mem.adapters.mirrored.keeper import EVERYTHING, Item, OwnVectors
from text2mem.adapters.mirrored.place import Place, PlacedAdapter
from text2mem.adapters.mirrored.qdrant_folder import shared_client, vacuum
from text2mem.adapters.mirrored.vectors import NoModel, Vectors, opened_vectors
from text2mem.adapters.registry import IN_MEMORY
from text2mem.errors import needing
from text2mem.ir.times.temporal import format_instant

if TYPE_CHECKING:
    from mem0 import Memory

COLLECTION = "mem0"
_OWN = ("data", "hash", "created_at", "updated_at", "text_lemmatized", "user_id")
"""The names in a payload of mem0 that are not metadata."""


class Mem0Keeper(OwnVectors):
    """The keeper of one user of a mem0."""

    name: ClassVar[str] = "mem0"

    def __init__(
        self, memory: Memory, user: str, vectors: Vectors, release: Callable[[], None] | None = None
    ) -> None:
        self._memory = memory
        super().__init__(user, vectors, release)

    def put(self, items: Sequence[Item]) -> None:
        there = self._payloads([item.key for item in items])
        now = format_instant(self._clock.now())
        self._memory.vector_store.insert(
            vectors=self._vectors.passages([item.text for item in items]),
            payloads=[
                {
                    **there.get(item.key, {"created_at": now}), "data": item.text,
                    "hash": md5(item.text.encode(), usedforsecurity=False).hexdigest(),
                    "text_lemmatized": item.text, "updated_at": now, "user_id": self._place,
                    OURS: dict(item.metadata),
                }
                for item in items
            ],
            ids=[item.key for item in items],
        )  # fmt: skip

    def remove(self, keys: Sequence[str]) -> None:
        """Delete items in the vector store: mem0's own ``delete`` keeps texts in its history."""
        for key in self._payloads(keys):
            self._memory.vector_store.delete(vector_id=key)

    def _payloads(self, keys: Sequence[str]) -> Mapping[str, Mapping[str, Any]]:
        """The payloads of the user's items with these keys; mem0 has no call for several."""
        points = {key: self._memory.vector_store.get(vector_id=key) for key in keys}
        payloads = {key: point.payload for key, point in points.items() if point is not None}
        return {key: p for key, p in payloads.items() if p.get("user_id") == self._place}

    def scan(self) -> Sequence[Item]:
        listed = self._memory.vector_store.list({"user_id": self._place}, EVERYTHING)
        points = listed[0] if listed and isinstance(listed[0], list) else listed
        return [
            item_of(str(point.id), point.payload.get("data", ""), point.payload, _OWN)
            for point in points
        ]

    def search(self, text: str, k: int) -> Sequence[tuple[str, float]]:
        filters = {"user_id": self._place}
        answer = self._memory.search(text, top_k=k, filters=filters, threshold=0.0)
        scores = [(str(hit["id"]), float(hit["score"])) for hit in answer["results"]]
        return [(key, score) for key, score in scores if score > 0]

    def erase(self) -> None:
        vacuum(self._memory.config.vector_store.config.path)


class Mem0Adapter(PlacedAdapter):
    """The adapter of ``mem0:FOLDER``: a mem0 whose Qdrant is in a folder, and a sidecar."""

    name: ClassVar[str] = "mem0"
    namespace: ClassVar[str] = "{tenant}"

    @staticmethod
    def open_keeper(at: Place, vectors: Vectors | None = None) -> Mem0Keeper:
        user = at.one_name("mem0", "user")
        vectors = vectors or opened_vectors(at)
        memory, give_back = opened_memory(at.path, vectors)

        def release() -> None:
            give_back()
            memory.close()

        return Mem0Keeper(memory, user, vectors, release)


def opened_memory(path: str, vectors: Vectors) -> tuple[Memory, Callable[[], None]]:
    """Open a mem0 without models; it, and a function that gives its Qdrant client back. The client
    of a folder is shared within this process. Raises MissingExtra and StoreError."""
    os.environ["MEM0_TELEMETRY"] = "False"  # read when mem0 is imported
    with needing("mem0", extra="mem0"):
        from mem0 import Memory
    # Every search would warn of a missing package that only a search for entities uses.
    logging.getLogger("mem0.utils.spacy_models").setLevel(logging.ERROR)
    unused = {"provider": "openai", "config": {"api_key": "unused"}}
    place = {"collection_name": COLLECTION, "embedding_model_dims": vectors.dimension, "path": path}
    with shared_client(path, "mem0") as (client, give_back):
        memory = Memory.from_config({
            "vector_store": {"provider": "qdrant", "config": {**place, "client": client}},
            "llm": unused, "embedder": unused,
            "history_db_path": IN_MEMORY,  # the sidecar's journal has the history
        })  # fmt: skip

    def embed(text: str, memory_action: str | None = None) -> list[float]:
        return vectors.query(text) if memory_action == "search" else vectors.passages([text])[0]

    memory.llm = NoModel("mem0")
    memory.embedding_model = SimpleNamespace(embed=embed)
    # Otherwise fastembed, if it is installed, downloads a model.
    memory.vector_store._bm25_encoder = False
    return memory, give_back
