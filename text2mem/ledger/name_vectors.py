"""The vectors of names: attributes are compared by what they mean, in any language."""

from __future__ import annotations

from collections.abc import Sequence

from text2mem.ir.ports import Embedder

_KEPT = 4096
_kept: dict[tuple[str, str], Sequence[float]] = {}
"""Vectors of names, by model and name, at most ``_KEPT``."""


def name_vectors(embedder: Embedder, names: Sequence[str]) -> Sequence[Sequence[float]]:
    """The vectors of names; every turn compares the same ones, so they are kept."""
    new = [name for name in dict.fromkeys(names) if (embedder.model, name) not in _kept]
    if len(_kept) + len(new) > _KEPT:
        _kept.clear()
        new = [*dict.fromkeys(names)]
    if new:
        found = embedder.embed([name.replace("_", " ") for name in new], kind="query")
        _kept.update({(embedder.model, name): each for name, each in zip(new, found, strict=True)})
    return [_kept[embedder.model, name] for name in names]
