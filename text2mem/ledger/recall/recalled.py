"""What a recall found: facts, cited lines, and an answer where one was asked for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from text2mem.ir.record import AsJson, Record, as_row, jsonable

Mode = Literal["current", "point-in-time"]
Found = Literal["exact", "related", "search", "nothing"]
_FACT = ("id", "subject", "attribute", "value", "valid_from", "valid_to", "confidence")


@dataclass(frozen=True, slots=True)
class Line(AsJson):
    """One line of a context: its text with its citations, and what it rests on.

    ``citations`` are the labels in its brackets: ``e12`` is the episode 12, ``m7`` the memory 7
    (a fact whose episodes are gone, or a memory that is neither fact nor episode). ``records`` are
    the ids of the memories that it shows. ``old``: what it says holds no longer.
    """

    text: str
    citations: tuple[str, ...]
    records: tuple[str, ...]
    old: bool = False


@dataclass(frozen=True, slots=True)
class Answer(AsJson):
    """An answer in words, with the labels of the lines that it rests on.

    ``known`` is false where the context does not hold it. ``by`` says who wrote the text; what a
    model wrote and its lines do not bear out is in ``refused``.
    """

    text: str
    citations: tuple[str, ...] = ()
    known: bool = True
    by: Literal["code", "model"] = "code"
    refused: str | None = None
    prompt: int = 0
    output: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """What the ledger says to a question.

    ``subject``, ``attribute`` and ``via`` (the attributes that lead to the one who is asked about)
    are how the question was read; None and empty where it names none. ``as_of`` and ``known_at``
    are the instants that it is about. ``facts`` answer it, ``values`` are what they say, each
    once; of a question for who it is that something is true of, the subjects. ``lines`` are the
    smallest context, of ``tokens`` tokens by estimate.
    """

    question: str | None
    subject: str | None
    attribute: str | None
    via: tuple[str, ...] = ()
    as_of: datetime | None = None
    known_at: datetime | None = None
    facts: tuple[Record, ...] = ()
    values: tuple[Any, ...] = ()
    lines: tuple[Line, ...] = ()
    tokens: int = 0
    found: Found = "nothing"
    answer: Answer | None = None

    def __str__(self) -> str:
        told = self.context or "nothing is known about this"
        if self.answer is not None:
            return f"{self.answer.text}\n{told}" if self.lines else self.answer.text
        exact = self.found == "exact" or not self.lines
        return told if exact else f"no exact answer, but ({self.found}):\n{told}"

    @property
    def mode(self) -> Mode:
        """Whether it is about now or about another instant."""
        past = self.as_of is not None or self.known_at is not None
        return "point-in-time" if past else "current"

    @property
    def context(self) -> str:
        """The lines as one text."""
        return "\n".join(line.text for line in self.lines)

    def as_dict(self) -> dict[str, Any]:
        """What was found as JSON."""
        return {
            "question": self.question, "mode": self.mode, "subject": self.subject,
            "attribute": self.attribute, "via": list(self.via),
            "as_of": jsonable(self.as_of), "known_at": jsonable(self.known_at),
            "found": self.found, "values": jsonable(self.values),
            "facts": [as_row(record, _FACT) for record in self.facts],
            "lines": jsonable(self.lines), "tokens": self.tokens, "answer": jsonable(self.answer),
        }  # fmt: skip
