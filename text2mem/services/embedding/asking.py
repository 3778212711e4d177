"""Vectors for callers that work without them, too."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from text2mem.errors import ContextOverflow, ModelOutputError, ServiceError
from text2mem.ir.ports import Embedder
from text2mem.ir.words.likeness import Vector
from text2mem.services.embedding.profiles import Kind

_log = logging.getLogger("text2mem")


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
