"""Vectors for callers that work without them, too."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from text2mem.errors import ContextOverflow, ModelOutputError, ServiceError
from text2mem.ir.ports import Embedder
from text2mem.ir.words.likeness import Vector
from text2mem.services.embedding.profiles import Kind

_log = logging.getLogger("text2mem")
_KEPT = 4096
"""The most vectors in the cache of names."""
_kept: dict[tuple[str, str], Vector] = {}
"""The cache, by model and name. It is shared by all threads."""


def vectors_of(
    texts: Sequence[str], embedder: Embedder | None, *, kind: Kind = "query"
) -> Sequence[Vector] | None:
    """Return a vector for each text; None without an embedder, or if it fails, which is logged."""
    if embedder is None:
        return None
    try:
        return embedder.embed(texts, kind=kind)
    except (ServiceError, ContextOverflow, ModelOutputError) as error:
        _log.warning("went on without vectors: %s", error)
        return None


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
