"""Indexes made anew: the words, and the vectors with whatever embedder there is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from text2mem.adapters.base import Adapter, Embedding, Vector
from text2mem.adapters.transactions import once_more
from text2mem.errors import ContextOverflow, ModelOutputError
from text2mem.ir.ports import Embedder
from text2mem.ir.record import Record

T = TypeVar("T")
BATCH = 256


def reindex(adapter: Adapter, embedder: Embedder | None, *, afresh: bool = False) -> Iterator[int]:
    """Rebuild the word index, and make the vectors that are missing; counts of vectors made so far.

    Each batch is kept as it is made, so an interrupted run goes on where it stopped. ``afresh``
    drops the vectors first, as another model needs. A text that the model cannot take stays without
    a vector. Raises ConfigurationError where the store's vectors are another model's, and
    ServiceError; ModelOutputError where no answer of a whole batch can be used.
    """
    _committed(adapter, adapter.rebuild_words)
    if afresh:
        if embedder is not None:
            embedder.embed(["probe"], kind="passage")  # a service that is down costs no vectors
        _committed(adapter, adapter.drop_vectors)
    if embedder is not None:
        yield from _missing(adapter, embedder)
    with adapter.transaction(write=False):
        adapter.rebuild_vector_index()


def _missing(adapter: Adapter, embedder: Embedder) -> Iterator[int]:
    """Make the vectors that are missing; counts of those made so far."""
    embedding = Embedding(embedder.model, embedder.threshold)
    with adapter.transaction():
        adapter.set_vectors(embedding, {})  # another model's are refused before anything is asked
    made, last = 0, "0"
    while batch := _committed(adapter, partial(adapter.without_vectors, BATCH, after=last)):
        vectors = _vectors(embedder, [record.text for record in batch])
        made += _committed(adapter, partial(_put, adapter, embedding, batch, vectors))
        last = batch[-1].id
        yield made


def _put(
    adapter: Adapter, embedding: Embedding, batch: Sequence[Record],
    vectors: Sequence[Vector | None],
) -> int:  # fmt: skip
    """Store the vectors of a batch; how many. A memory whose text has changed since is left for
    the next run."""
    before = str(int(batch[0].id) - 1)
    unchanged = {r.id: r.text for r in adapter.without_vectors(BATCH, after=before)}
    found = {
        record.id: vector
        for record, vector in zip(batch, vectors, strict=True)
        if vector is not None and unchanged.get(record.id) == record.text
    }
    adapter.set_vectors(embedding, found)
    return len(found)


def _committed(adapter: Adapter, work: Callable[[], T]) -> T:
    """Do some work in a transaction of its own; its result."""

    def attempt() -> T:
        with adapter.transaction():
            return work()

    return once_more(attempt)


def _vectors(embedder: Embedder, texts: Sequence[str]) -> list[Vector | None]:
    """A vector a text, None for one that the model cannot take."""
    try:
        return list(embedder.embed(texts, kind="passage"))
    except (ContextOverflow, ModelOutputError) as error:
        vectors = [_one(embedder, text) for text in texts]
        if isinstance(error, ModelOutputError) and not any(vectors):
            raise
        return vectors


def _one(embedder: Embedder, text: str) -> Vector | None:
    try:
        (vector,) = embedder.embed([text], kind="passage")
    except (ContextOverflow, ModelOutputError):
        return None
    return vector
