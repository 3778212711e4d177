"""What evidence is: mentions with their spans, the clauses of a request, and both together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal[
    "quote", "id", "tag", "match", "facet",
    "duration", "deadline", "moment", "window", "age", "as_of", "recurrence",
    "priority", "weight", "weight_delta",
    "sentences", "characters", "overlap", "tokens", "words", "limit", "order",
    "focus", "language", "reviewer", "lock_mode", "flag", "pronoun", "latest", "condition",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mention:
    """One thing that the utterance says.

    ``value`` is JSON as in the surface form, instants as "YYYY-MM-DDTHH:MM:SSZ"; ``words`` is the
    utterance from ``start`` to ``end``.
    """

    kind: Kind
    value: Any
    start: int
    end: int
    words: str


@dataclass(frozen=True, slots=True)
class Clause:
    """One step of a request, in the order of the steps; ``words`` as in a mention."""

    start: int
    end: int
    words: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """What code read from one utterance: its mentions by place, and its clauses (at least one)."""

    utterance: str
    mentions: tuple[Mention, ...]
    clauses: tuple[Clause, ...]

    def of(self, *kinds: Kind, within: Clause | None = None) -> tuple[Mention, ...]:
        """The mentions of these kinds, or of any where none is named, in a clause or anywhere."""
        return tuple(
            mention
            for mention in self.mentions
            if (not kinds or mention.kind in kinds)
            and (within is None or (within.start <= mention.start and mention.end <= within.end))
        )
