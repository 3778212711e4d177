"""Rebuild the indexes of a store: the word index, and the vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from text2mem.adapters.base import Adapter, Embedding, Vector
from text2mem.adapters.transactions import transact
from text2mem.errors import ContextOverflow, ModelOutputError
from text2mem.ir.ports import Embedder
from text2mem.ir.record import Record

BATCH = 256
"""How many memories are embedded and committed together."""


def reindex(adapter: Adapter, embedder: Embedder | None, *, afresh: bool = False) -> Iterator[int]:
    """Rebuild the word index and make the missing vectors. Yield after each batch, which is
    committed, how many have been made so far.

    ``afresh`` drops all vectors first, which a change of the embedding model needs. A text that the
    model cannot embed stays without one. Raise ConfigurationError if the store's vectors are those
    of another model, ServiceError if the embedder is down, and ModelOutputError if it gives no
    usable vector for a whole batch.
    """
    transact(adapter, adapter.rebuild_words)
    if afresh:
        if embedder is not None:
            # If the service is down, this raises before any vector is dropped.
            embedder.embed(["probe"], kind="passage")
        transact(adapter, adapter.drop_vectors)
    if embedder is not None:
        yield from _missing(adapter, embedder)
    with adapter.transaction(write=False):
        adapter.rebuild_vector_index()


def _missing(adapter: Adapter, embedder: Embedder) -> Iterator[int]:
    embedding = Embedding(embedder.model, embedder.threshold)
    with adapter.transaction():
        # Raises ConfigurationError for another model's vectors before the embedder is called.
        adapter.set_vectors(embedding, {})
    made, last = 0, "0"
    while batch := transact(adapter, partial(adapter.without_vectors, BATCH, after=last)):
        vectors = _vectors(embedder, [record.text for record in batch])
        made += transact(adapter, partial(_put, adapter, embedding, batch, vectors))
        last = batch[-1].id
        yield made


def _put(
    adapter: Adapter, embedding: Embedding, batch: Sequence[Record],
    vectors: Sequence[Vector | None],
) -> int:  # fmt: skip
    """Store the vectors of a batch, but for texts that have changed since; how many were stored."""
    before = str(int(batch[0].id) - 1)
    texts = {r.id: r.text for r in adapter.without_vectors(BATCH, after=before)}
    current = {
        record.id: vector
        for record, vector in zip(batch, vectors, strict=True)
        if vector is not None and texts.get(record.id) == record.text
    }
    adapter.set_vectors(embedding, current)
    return len(current)


def _vectors(embedder: Embedder, texts: Sequence[str]) -> list[Vector | None]:
    """A vector for each text; None for one that the model cannot embed. If the batch fails as a
    whole, the texts are embedded one by one; its ModelOutputError is raised if all of them fail."""
    try:
        return list(embedder.embed(texts, kind="passage"))
    except (ContextOverflow, ModelOutputError) as error:
        vectors: list[Vector | None] = []
        for text in texts:
            try:
                vectors += embedder.embed([text], kind="passage")
            except (ContextOverflow, ModelOutputError):
                vectors.append(None)
        if isinstance(error, ModelOutputError) and not any(vectors):
            raise
        return vectors
