"""Vectors for callers that work without them, too."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from hashlib import sha256

from text2mem.errors import ContextOverflow, ModelOutputError, ServiceError
from text2mem.ir.ports import Embedder
from text2mem.ir.words.likeness import Vector
from text2mem.services.embedding.profiles import Kind

_log = logging.getLogger("text2mem")
_KEPT = 4096
"""The most vectors in the cache."""
_kept: dict[bytes, Vector] = {}
"""The cache, by a hash of model, kind and text. It is shared by all threads."""


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


def kept_vectors(
    texts: Sequence[str], embedder: Embedder | None, *, kind: Kind = "query"
) -> Sequence[Vector] | None:
    """Like ``vectors_of``, from a cache: for texts that are compared again and again."""
    if embedder is None:
        return None
    keys = {text: _key(embedder.model, kind, text) for text in texts}
    # Copied from the cache first, since another thread may clear it meanwhile.
    kept = ((text, _kept.get(key)) for text, key in keys.items())
    vectors = {text: vector for text, vector in kept if vector is not None}
    if new := [text for text in keys if text not in vectors]:
        made = vectors_of(new, embedder, kind=kind)
        if made is None:
            return None
        vectors.update(zip(new, made, strict=True))
        if len(_kept) + len(new) > _KEPT:
            _kept.clear()
        _kept.update({keys[text]: vectors[text] for text in new})
    return [vectors[text] for text in texts]


def _key(model: str, kind: Kind, text: str) -> bytes:
    whole = f"{model} {kind} {text}".encode("utf-8", "surrogatepass")  # of a model's answer
    return sha256(whole).digest()


def name_vectors(embedder: Embedder | None, names: Sequence[str]) -> Sequence[Vector] | None:
    """The vectors of names, as ``kept_vectors``: every turn compares the same ones."""
    return kept_vectors([name.replace("_", " ") for name in names], embedder)
