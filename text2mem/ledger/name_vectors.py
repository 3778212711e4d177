"""The vectors of names: attributes are compared by what they mean, in any language."""

from __future__ import annotations

from collections.abc import Sequence

from text2mem.ir.ports import Embedder
from text2mem.ir.words.likeness import Vector
from text2mem.services.embedding.asking import vectors_of

_KEPT = 4096
_kept: dict[tuple[str, str], Vector] = {}
"""Vectors of names, by model and name, at most ``_KEPT``."""


def name_vectors(embedder: Embedder | None, names: Sequence[str]) -> Sequence[Vector] | None:
    """The vectors of names; None without an embedder, or where it fails.

    They are kept, because every turn compares the same names.
    """
    if embedder is None:
        return None
    model = embedder.model
    # What is returned is held here: another thread may empty what is kept meanwhile.
    kept = ((name, _kept.get((model, name))) for name in names)
    held = {name: vector for name, vector in kept if vector is not None}
    if new := [name for name in dict.fromkeys(names) if name not in held]:
        found = vectors_of([name.replace("_", " ") for name in new], embedder)
        if found is None:
            return None
        held.update(zip(new, found, strict=True))
        if len(_kept) + len(new) > _KEPT:
            _kept.clear()
        _kept.update({(model, name): held[name] for name in new})
    return [held[name] for name in names]
