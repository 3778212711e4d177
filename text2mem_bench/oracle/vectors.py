"""Vectors in the plain store: which memories have one, and whose vectors they are."""

from __future__ import annotations

from collections.abc import Mapping
from math import hypot

from text2mem.adapters.base import Embedding, Env, Vector
from text2mem.adapters.notes import without_vector
from text2mem.adapters.refusals import other_vectors, vector_dimension
from text2mem.ir.record import Record
from text2mem_bench.oracle.state import Changes, State


def wants_vector(record: Record) -> bool:
    """Whether a memory should have a vector: it has a text, and nobody asked to leave it out."""
    return not record.skip_embedding and bool(record.text)


def embed(changes: Changes, env: Env) -> tuple[str, ...]:
    """Give every memory of an op whose text is new its vector; warnings about those without."""
    embedding = env.services.embedding
    found = [changes.find(id_) for id_ in changes.unembedded]
    records = [record for record in found if record is not None and wants_vector(record)]
    if embedding is None or not records:
        return ()
    check_model(changes.state, embedding)
    vectors = env.services.vectors([record.text for record in records])
    pairs = list(zip(records, vectors, strict=True))
    made = {record.id: vector for record, vector in pairs if vector is not None}
    store(changes.state, embedding, made)
    return tuple(without_vector(record.id) for record, vector in pairs if vector is None)


def store(state: State, embedding: Embedding, vectors: Mapping[str, Vector]) -> None:
    """Store vectors by id; the first one says whose vectors the store holds.

    Raises ConfigurationError for those of another model, ExecutionError "vector-dimension".
    """
    check_model(state, embedding)
    for id_, vector in vectors.items():
        if not state.vectors:
            state.embedding, state.dimension = embedding, len(vector)
        check_dimension(state, vector)
        state.vectors[id_] = tuple(float(part) for part in vector)


def drop(state: State) -> None:
    """Forget every vector, and whose they were."""
    state.vectors, state.embedding, state.dimension = {}, None, 0


def check_model(state: State, embedding: Embedding) -> None:
    """Raises ConfigurationError where the store's vectors are another model's."""
    held = state.held
    if held is not None and held.model != embedding.model:
        raise other_vectors(held.model, embedding.model)


def check_dimension(state: State, vector: Vector) -> None:
    """Raises ExecutionError where a vector is of another dimension than the store's."""
    if len(vector) != state.dimension:
        raise vector_dimension(len(vector), state.dimension)


def cosine(one: Vector, other: Vector) -> float:
    """The cosine of the angle between two vectors; 0 where one of them is nothing but zeros."""
    length = hypot(*one) * hypot(*other)
    return sum(a * b for a, b in zip(one, other, strict=True)) / length if length else 0.0
