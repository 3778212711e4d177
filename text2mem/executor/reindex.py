"""Indexes made anew: the words, and the vectors with whatever embedder there is."""

from __future__ import annotations

from collections.abc import Iterator

from text2mem.adapters.base import Adapter, Embedding
from text2mem.ir.ports import Embedder

BATCH = 256


def reindex(
    adapter: Adapter, embedder: Embedder | None, *, words: bool = True, afresh: bool = False
) -> Iterator[int]:
    """Rebuild the word index, and make the vectors that are missing; counts of vectors made so far.

    Each batch is kept as it is made, so an interrupted run goes on where it stopped. ``afresh``
    drops the vectors first, as another model needs. Raises ConfigurationError where the store's
    vectors are another model's, and ServiceError.
    """
    if words:
        with adapter.transaction():
            adapter.rebuild_words()
    if afresh:
        with adapter.transaction():
            adapter.drop_vectors()
    if embedder is None:
        return
    embedding = Embedding(embedder.model, embedder.threshold)
    made, last = 0, "0"
    while batch := adapter.without_vectors(BATCH, after=last):
        vectors = embedder.embed([record.text for record in batch], kind="passage")
        with adapter.transaction():
            # Texts that have changed meanwhile wait for the next run.
            unchanged = {r.id: r.text for r in adapter.without_vectors(BATCH, after=last)}
            adapter.set_vectors(
                embedding,
                {
                    record.id: vector
                    for record, vector in zip(batch, vectors, strict=True)
                    if unchanged.get(record.id) == record.text
                },
            )
        made += len(batch)
        last = batch[-1].id
        yield made
