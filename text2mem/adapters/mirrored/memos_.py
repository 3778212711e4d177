"""The keeper for MemOS: one collection of its general text memory, with Qdrant in a folder.

Only ``GeneralTextMemory`` and its vector database are used. MemOS' extraction of memories by a
model, and its graph on a server, are not.
"""

from __future__ import annotations

import logging
import logging.config
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

from text2mem.adapters.mirrored.items import OURS, item_of, tags_beside
from text2mem.adapters.mirrored.keeper import Item, OwnVectors
from text2mem.adapters.mirrored.place import Place, PlacedAdapter
from text2mem.adapters.mirrored.qdrant_folder import shared_client, vacuum
from text2mem.adapters.mirrored.vectors import NoModel, Vectors, opened_vectors
from text2mem.adapters.registry import IN_MEMORY
from text2mem.errors import ConfigurationError, needing
from text2mem.ir.times.temporal import format_instant
from text2mem.settings import environment

if TYPE_CHECKING:
    from memos.memories.textual.general import GeneralTextMemory

_OWN = (
    "tags", "user_id", "session_id", "status", "is_fast", "evolve_to", "version", "history",
    "working_binding", "created_at", "updated_at", "internal_info", "covered_history", "embedding",
    "usage",
)  # fmt: skip
"""The names in an item's metadata that are MemOS' own, or are its tags, which are read apart."""


class MemosKeeper(OwnVectors):
    """The keeper of one collection of a MemOS."""

    name: ClassVar[str] = "memos"

    def __init__(
        self, memory: GeneralTextMemory, vectors: Vectors, release: Callable[[], None] | None = None
    ) -> None:
        self._memory = memory
        super().__init__(str(memory.vector_db.config.collection_name), vectors, release)

    def put(self, items: Sequence[Item]) -> None:
        """Store items in one call, which replaces those with the same id."""
        from memos.memories.textual.item import TextualMemoryItem

        self._check_dimension()
        points = self._memory.vector_db.get_by_ids([item.key for item in items])
        there = {point.id: point.payload or {} for point in points}
        now = format_instant(self._clock.now())
        self._memory.add([
            TextualMemoryItem(
                id=item.key, memory=item.text,
                metadata=_as_metadata(item, there.get(item.key)) | {"updated_at": now},
            )
            for item in items
        ])  # fmt: skip

    def remove(self, keys: Sequence[str]) -> None:
        self._memory.delete(list(keys))

    def scan(self) -> Sequence[Item]:
        points = self._memory.vector_db.get_all()
        return [_as_item(point.id, point.payload or {}) for point in points]

    def search(self, text: str, k: int) -> Sequence[tuple[str, float]]:
        """Search by the vector database. MemOS' own search uses it, but returns no scores."""
        hits = self._memory.vector_db.search(self._vectors.query(text), k)
        return [(hit.id, hit.score) for hit in hits if hit.score > 0]

    def erase(self) -> None:
        vacuum(self._memory.vector_db.config.path)

    def _check_dimension(self) -> None:
        """Raise ConfigurationError if the collection's vectors have another length than ours."""
        params = self._memory.vector_db.client.get_collection(self.place).config.params
        if getattr(params.vectors, "size", None) != self._vectors.dimension:
            raise ConfigurationError(
                f"the vectors of the collection '{self.place}' are not of the "
                f"{self._vectors.dimension} numbers that '{self._vectors.model}' makes",
                hint="name the embedder that they were made by, or another namespace",
            )


def _metadata(value: Mapping[str, Any]) -> Mapping[str, Any]:
    metadata = value.get("metadata")
    return metadata if isinstance(metadata, Mapping) else {}


def _as_item(key: str, value: Mapping[str, Any]) -> Item:
    """A payload as an item. Empty values of its metadata are left out."""
    metadata = _metadata(value)
    filled = {name: part for name, part in metadata.items() if part not in (None, "", [])}
    return item_of(key, value.get("memory", ""), filled, _OWN, metadata.get("tags") or ())


def _as_metadata(item: Item, there: Mapping[str, Any] | None) -> dict[str, Any]:
    """The metadata of an item's payload. Others' values of the present one ``there`` are kept."""
    metadata = _metadata(there or {})
    older = None if there is None else _as_item(item.key, there)
    tags = tags_beside(item, older, metadata.get("tags") or ())
    return {**metadata, "tags": tags, OURS: dict(item.metadata)}


class MemosAdapter(PlacedAdapter):
    """The adapter of ``memos:FOLDER``: a MemOS whose Qdrant is in a folder, and a sidecar."""

    name: ClassVar[str] = "memos"
    namespace: ClassVar[str] = "text2mem-{tenant}"

    @staticmethod
    def open_keeper(at: Place, vectors: Vectors | None = None) -> MemosKeeper:
        collection = at.one_name("memos", "collection")
        vectors = vectors or opened_vectors(at)
        memory, release = opened_memory(at.path, collection, vectors)
        return MemosKeeper(memory, vectors, release)


def opened_memory(
    path: str, collection: str, vectors: Vectors
) -> tuple[GeneralTextMemory, Callable[[], None]]:
    """Open a MemOS without models; it, and a function that gives its Qdrant client back. The client
    of a folder is shared within this process. Raises MissingExtra and StoreError."""
    with _without_side_effects(), needing("MemOS", extra="memos"):
        from memos.configs.memory import GeneralTextMemoryConfig
        from memos.memories.textual.general import GeneralTextMemory
    unused = {"model_name_or_path": "none", "api_key": "unused"}
    embedder = {"provider": "openai", **unused}
    database = {"collection_name": collection, "vector_dimension": vectors.dimension,
                "distance_metric": "cosine", "path": IN_MEMORY}  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        config = GeneralTextMemoryConfig.model_validate({
            "extractor_llm": {"backend": "openai", "config": unused},
            "embedder": {"backend": "universal_api", "config": embedder},
            "vector_db": {"backend": "qdrant", "config": database},
        })  # fmt: skip
        memory = GeneralTextMemory(config)
    memory.extractor_llm = NoModel("MemOS")
    memory.embedder = SimpleNamespace(embed=vectors.passages)
    # MemOS opens a client of its own. A folder takes only one, so it is given the shared one.
    memory.vector_db.client.close()
    with shared_client(path, "MemOS") as (memory.vector_db.client, release):
        memory.vector_db.config.path = path
        memory.vector_db.create_collection()
    return memory, release


@contextmanager
def _without_side_effects() -> Iterator[None]:
    """Keep the import of MemOS in the body from removing the root logger's handlers, writing the
    log into a file in the current folder, and reading ``.env`` files into the environment."""
    if "memos" in sys.modules:
        yield
        return
    # It would warn of a Qdrant in a folder and of an existing collection, which are intended.
    logging.getLogger("memos").setLevel(logging.ERROR)
    configure = logging.config.dictConfig
    with TemporaryDirectory() as folder:
        quiet = {"MEMOS_BASE_PATH": folder, "PYTHON_DOTENV_DISABLED": "1",
                 "TRANSFORMERS_NO_ADVISORY_WARNINGS": "1"}  # fmt: skip
        logging.config.dictConfig = lambda config: None
        try:
            with environment({n: v for n, v in quiet.items() if n not in os.environ}):
                yield
        finally:
            logging.config.dictConfig = configure
