"""Which names of attributes a small reader is offered for a turn: the few that are like it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from text2mem.ir.ports import Embedder

COUNT = 10
_OWN = 0.2
"""What a name that this store uses, or declares beside the shipped ones, is nearer by: with it,
eight names hold the right one of 86 facts in a hundred, without it of 64."""
_KEPT = 4096
_kept: dict[tuple[str, str], Sequence[float]] = {}
"""Vectors of names, by model and name, at most ``_KEPT``."""


def nearest(
    turn: str, names: Sequence[str], own: Collection[str], embedder: Embedder
) -> tuple[str, ...]:
    """The names that are most like the turn, the nearest first, ``COUNT`` at most."""
    (said,) = embedder.embed([turn], kind="query")
    scores = {
        name: sum(a * b for a, b in zip(said, each, strict=True)) + (_OWN if name in own else 0.0)
        for name, each in zip(names, name_vectors(embedder, names), strict=True)
    }
    return tuple(sorted(scores, key=lambda name: -scores[name])[:COUNT])


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
