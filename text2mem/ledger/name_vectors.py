"""Vectors of names, by which attributes are compared by meaning, across languages."""

from __future__ import annotations

from collections.abc import Sequence

from text2mem.ir.ports import Embedder
from text2mem.ir.words.likeness import Vector
from text2mem.services.embedding.asking import vectors_of

_KEPT = 4096
"""The most vectors in the cache."""
_kept: dict[tuple[str, str], Vector] = {}
"""The cache, by model and name. It is shared by all threads."""


def name_vectors(embedder: Embedder | None, names: Sequence[str]) -> Sequence[Vector] | None:
    """The vectors of names, cached, since every turn compares the same ones; None without an
    embedder, or if it fails."""
    if embedder is None:
        return None
    model = embedder.model
    # Copied from the cache first, since another thread may clear it meanwhile.
    kept = ((name, _kept.get((model, name))) for name in names)
    vectors = {name: vector for name, vector in kept if vector is not None}
    if new := [name for name in dict.fromkeys(names) if name not in vectors]:
        made = vectors_of([name.replace("_", " ") for name in new], embedder)
        if made is None:
            return None
        vectors.update(zip(new, made, strict=True))
        if len(_kept) + len(new) > _KEPT:
            _kept.clear()
        _kept.update({(model, name): vectors[name] for name in new})
    return [vectors[name] for name in names]
