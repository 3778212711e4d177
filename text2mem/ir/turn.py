"""An earlier turn of a conversation, as a planner is given it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Turn:
    """What a person said before, and what came of it.

    ``ids`` are the memories that its program affected, returned or made, so that "them" can mean
    those; nothing where no program ran. A ``question`` was asked back, about the memories of
    ``ids``; it is no request.
    """

    text: str
    ids: tuple[str, ...] = ()
    question: bool = False

    @classmethod
    def of(cls, turn: str | Turn) -> Turn:
        """A turn from what may be only its text."""
        return turn if isinstance(turn, Turn) else cls(turn)


def spoken_of(turns: Iterable[Turn]) -> tuple[str, ...]:
    """The ids of the memories that turns asked for or made, each once, in order."""
    return tuple(dict.fromkeys(id_ for turn in turns for id_ in turn.ids))
