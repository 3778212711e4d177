"""MemOS as a keeper: one collection of its general text memory, with Qdrant in a folder.

What MemOS reads out of messages by a model, and keeps in a graph on a server, has no part in it:
texts go in and out by ``GeneralTextMemory.add`` and what it searches with.
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

from text2mem.adapters.mirrored.items import OURS, item_of, tags_beside, with_tags
from text2mem.adapters.mirrored.keeper import Item, OwnVectors
from text2mem.adapters.mirrored.place import Place
from text2mem.adapters.mirrored.placed import PlacedAdapter
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
"""What MemOS keeps of an item for itself; an item's own tags are a memory's."""


class MemosKeeper(OwnVectors):
    """One collection of a MemOS."""

    name: ClassVar[str] = "memos"

    def __init__(
        self, memory: GeneralTextMemory, vectors: Vectors, release: Callable[[], None] | None = None
    ) -> None:
        """``release`` closes what is its own; without one, ``memory`` stays the caller's."""
        self._memory = memory
        super().__init__(vectors, release)

    @property
    def place(self) -> str:
        return str(self._memory.vector_db.config.collection_name)

    def put(self, items: Sequence[Item]) -> None:
        """In one call, which replaces what has the same id."""
        from memos.memories.textual.item import TextualMemoryItem

        self._check_dimension()
        found = self._memory.vector_db.get_by_ids([item.key for item in items])
        there = {each.id: each.payload or {} for each in found}
        now = format_instant(self._clock.now())
        self._memory.add(
            [
                TextualMemoryItem(
                    id=item.key,
                    memory=item.text,
                    metadata=_as_metadata(item, there.get(item.key)) | {"updated_at": now},
                )
                for item in items
            ]
        )

    def remove(self, keys: Sequence[str]) -> None:
        self._memory.delete(list(keys))

    def scan(self) -> Sequence[Item]:
        found = self._memory.vector_db.get_all()
        return [_as_item(each.id, each.payload or {}) for each in found]

    def search(self, text: str, k: int) -> Sequence[tuple[str, float]]:
        """By the search that MemOS' own stands on, which gives scores."""
        if not text.strip():
            return []
        found = self._memory.vector_db.search(self._vectors.query(text), k)
        return [(each.id, each.score) for each in found if each.score > 0]

    def erase(self) -> None:
        """Rewrites the files of a Qdrant in a folder."""
        vacuum(self._memory.vector_db.config.path)

    def _check_dimension(self) -> None:
        """Raises ConfigurationError where the collection holds vectors of another kind."""
        held = self._memory.vector_db.client.get_collection(self.place).config.params.vectors
        if getattr(held, "size", None) != self._vectors.dimension:
            raise ConfigurationError(
                f"the vectors of the collection '{self.place}' are not of the "
                f"{self._vectors.dimension} numbers that '{self._vectors.model}' makes",
                hint="name the embedder that they were made by, or another namespace",
            )


def _metadata(value: Mapping[str, Any]) -> Mapping[str, Any]:
    held = value.get("metadata")
    return held if isinstance(held, Mapping) else {}


def _as_item(key: str, value: Mapping[str, Any]) -> Item:
    """A payload of MemOS; what nobody has said anything in says nothing."""
    held = _metadata(value)
    said = {name: each for name, each in held.items() if each not in (None, "", [])}
    found = item_of(key, str(value.get("memory", "")), said, _OWN)
    return with_tags(found, held.get("tags") or ())


def _as_metadata(item: Item, there: Mapping[str, Any] | None) -> dict[str, Any]:
    """An item's; what others have written beside the text stays."""
    held = _metadata(there or {})
    older = None if there is None else _as_item(item.key, there)
    tags = tags_beside(item, older, held.get("tags") or ())
    return {**held, "tags": tags, OURS: dict(item.metadata)}


class MemosAdapter(PlacedAdapter):
    """``memos:FOLDER``: a MemOS whose Qdrant is in a folder, and a sidecar beside it."""

    name: ClassVar[str] = "memos"
    namespace: ClassVar[str] = "text2mem-{tenant}"

    @staticmethod
    def open_keeper(at: Place, vectors: Vectors | None = None) -> MemosKeeper:
        """The collection of a folder. Raises ConfigurationError, MissingExtra and StoreError."""
        collection = at.one_name("memos", "collection")
        vectors = vectors or opened_vectors(at)
        memory, release = opened_memory(at.path, collection, vectors)
        return MemosKeeper(memory, vectors, release)


def opened_memory(
    path: str, collection: str, vectors: Vectors
) -> tuple[GeneralTextMemory, Callable[[], None]]:
    """A MemOS without models, and what gives its Qdrant back, which is shared by all that this
    process opens in a folder.

    Raises MissingExtra and StoreError.
    """
    with _imported_alone(), needing("MemOS", extra="memos"):
        from memos.configs.memory import GeneralTextMemoryConfig
        from memos.memories.textual.general import GeneralTextMemory
    unused = {"model_name_or_path": "none", "api_key": "unused"}
    held = {"collection_name": collection, "vector_dimension": vectors.dimension,
            "distance_metric": "cosine", "path": IN_MEMORY}  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        config = GeneralTextMemoryConfig.model_validate(
            {
                "extractor_llm": {"backend": "openai", "config": unused},
                "embedder": {
                    "backend": "universal_api",
                    "config": {"provider": "openai", **unused},
                },
                "vector_db": {"backend": "qdrant", "config": held},
            }
        )
        memory = GeneralTextMemory(config)
    memory.extractor_llm = NoModel("MemOS")
    memory.embedder = SimpleNamespace(embed=vectors.passages)
    # MemOS opens a client by itself, and a folder takes only one: it gets the one that is shared.
    memory.vector_db.client.close()
    with shared_client(path, "MemOS") as (memory.vector_db.client, release):
        memory.vector_db.config.path = path
        memory.vector_db.create_collection()
    return memory, release


@contextmanager
def _imported_alone() -> Iterator[None]:
    """Keep what MemOS does to a process when it is imported from being done.

    It would take the root logger's handlers away, write all that the process logs into a file
    under the current folder, and put what ``.env`` files hold into the environment.
    """
    if "memos" in sys.modules:
        yield
        return
    # It warns of what is meant: a Qdrant in a folder, and a collection that is there.
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
