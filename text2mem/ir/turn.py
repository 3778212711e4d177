"""The earlier turns of a conversation, which a planner is given."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from text2mem.ir.arguments import as_kind, as_several


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier request of a person, or a question that was asked back. Raises ConfigurationError
    for other kinds of values."""

    text: str
    ids: tuple[str, ...] = ()
    """The memories that the request's program affected, returned or made, which "them" can refer
    to; those that a question was about. Empty if no program ran."""
    question: bool = False
    """Whether it is a question that was asked back."""

    def __post_init__(self) -> None:
        as_kind(self.text, str, "turn", "a turn is what was said, as text")
        ids = as_several("ids", self.ids, str, "ids of memories, each a text")
        object.__setattr__(self, "ids", ids)

    @classmethod
    def of(cls, turn: str | Turn) -> Turn:
        """The turn, made from its text if only that is given."""
        return turn if isinstance(turn, Turn) else cls(turn)


def spoken_of(turns: Iterable[Turn]) -> tuple[str, ...]:
    """The ids of all turns in order, without duplicates."""
    return tuple(dict.fromkeys(id_ for turn in turns for id_ in turn.ids))
