"""The result of a recall: facts, cited lines, and an answer if one was asked for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from text2mem.ir.record import AsJson, Record, as_row, jsonable

Mode = Literal["current", "point-in-time"]
HowFound = Literal["exact", "related", "search", "nothing"]
_FACT = ("id", "subject", "attribute", "value", "valid_from", "valid_to", "confidence")


@dataclass(frozen=True, slots=True)
class Line(AsJson):
    """One line of a context."""

    text: str
    citations: tuple[str, ...]
    """The labels in its brackets: ``e12`` is the episode 12; ``m7`` the memory 7, a fact without
    existing episodes, or a memory that is neither a fact nor an episode."""
    records: tuple[str, ...]
    """The ids of the memories that it shows."""
    old: bool = False


@dataclass(frozen=True, slots=True)
class Answer(AsJson):
    """An answer in words."""

    text: str
    citations: tuple[str, ...] = ()
    """The labels of the lines that it rests on."""
    known: bool = True
    """Whether the context has the answer."""
    by: Literal["code", "model"] = "code"
    refused: str | None = None
    """What a model wrote and was not accepted."""
    prompt: int = 0
    """The tokens of the prompt."""
    output: int = 0
    """The tokens of the model's answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """The result of a recall: how the question was read, and what was found."""

    question: str | None
    subject: str | None
    """The subject that the question starts from; None if it names none."""
    attribute: str | None
    """The attribute asked for; None if no line is likely enough, or for all of the subject."""
    via: tuple[str, ...] = ()
    """The attributes that lead from ``subject`` to the subject that is asked about."""
    as_of: datetime | None = None
    """The instant of validity; None is now."""
    known_at: datetime | None = None
    """The instant of recording; None is now."""
    facts: tuple[Record, ...] = ()
    """The facts that answer it exactly."""
    values: tuple[Any, ...] = ()
    """Their values, each once; for a question that asks who, their subjects."""
    lines: tuple[Line, ...] = ()
    tokens: int = 0
    """Those of the lines, estimated."""
    found: HowFound = "nothing"
    """What the lines are (docs/recall.md, "What comes back")."""
    answer: Answer | None = None

    def __str__(self) -> str:
        context = self.context or "nothing is known about this"
        if self.answer is not None:
            return f"{self.answer.text}\n{context}" if self.lines else self.answer.text
        exact = self.found == "exact" or not self.lines
        return context if exact else f"no exact answer, but ({self.found}):\n{context}"

    @property
    def mode(self) -> Mode:
        """``current`` if it is about now, ``point-in-time`` if it is about other instants."""
        past = self.as_of is not None or self.known_at is not None
        return "point-in-time" if past else "current"

    @property
    def context(self) -> str:
        return "\n".join(line.text for line in self.lines)

    def as_dict(self) -> dict[str, Any]:
        return {
            "question": self.question, "mode": self.mode, "subject": self.subject,
            "attribute": self.attribute, "via": list(self.via),
            "as_of": jsonable(self.as_of), "known_at": jsonable(self.known_at),
            "found": self.found, "values": jsonable(self.values),
            "facts": [as_row(record, _FACT) for record in self.facts],
            "lines": jsonable(self.lines), "tokens": self.tokens, "answer": jsonable(self.answer),
        }  # fmt: skip
