"""The result of a recall: facts, cited lines, and an answer if one was asked for.

There is one line for each fact or memory, within a budget of tokens. These are estimated
(``services.portions``): four Latin characters or one CJK character are one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any, Literal

from text2mem.ir.record import AsJson, Record, as_row, jsonable
from text2mem.ledger.episode import EPISODE
from text2mem.ledger.holdings import sources
from text2mem.ledger.words import day_of, validity
from text2mem.services.portions import clipped, tokens

Mode = Literal["current", "point-in-time"]
HowFound = Literal["exact", "related", "search", "nothing"]
_FACT = ("id", "subject", "attribute", "value", "valid_from", "valid_to", "confidence")
_CITED = 4
"""The most episodes that a line cites: the first ones, and the latest."""
_LONGEST = 120
"""The most tokens of one memory's text."""


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


# --- lines ---------------------------------------------------------------------------------


def fact_line(record: Record, episodes: Mapping[str, Record], tz: tzinfo, now: datetime) -> Line:
    """The line of a fact: ``[e12] mira.city = Ghent (since 2026-06-03)``. It cites ``episodes``,
    those that exist, by id; if none is among its sources, the fact itself."""
    cited = [id_ for id_ in sources(record) if id_ in episodes]
    if len(cited) > _CITED:
        cited = [*cited[: _CITED - 1], cited[-1]]
    labels = tuple(f"e{id_}" for id_ in cited) or (f"m{record.id}",)
    when = validity(record.valid_from, record.valid_to, tz)
    text = f"[{' '.join(labels)}] {one_line(record.title)}{when}"
    return Line(text, labels, (record.id,), old=record.ends <= now)


def memory_line(record: Record, tz: tzinfo, *, old: bool = False) -> Line:
    """The line of an episode or another memory that is no fact: ``[e12] 2026-06-03 mira: …``."""
    label = f"e{record.id}" if record.type == EPISODE else f"m{record.id}"
    who = record.facets.get("speaker") or record.facets.get("role") or record.type or "note"
    content = record.text or json.dumps(record.payload, ensure_ascii=False)
    text = clipped(one_line(content), _LONGEST)
    mark = "(no longer so) " if old else ""
    day = day_of(record.when, tz)
    line = f"[{label}] {day} {one_line(str(who))}: {mark}{text}"
    return Line(line, (label,), (record.id,), old)


def within(lines: Iterable[Line], budget: int) -> tuple[tuple[Line, ...], int]:
    """The lines that fit into the budget, in order and without repeated memories, and their tokens.
    Shorter lines may still fit after one that does not."""
    kept: list[Line] = []
    shown: set[str] = set()
    spent = 0
    for line in lines:
        cost = tokens(line.text) + 1
        if not shown.issuperset(line.records) and spent + cost <= budget:
            kept.append(line)
            shown.update(line.records)
            spent += cost
    return tuple(kept), spent


def one_line(text: str) -> str:
    """The text on one line, with parentheses for angle brackets, so that it ends no block."""
    return " ".join(text.split()).replace("<", "(").replace(">", ")")


def labels(lines: Sequence[Line]) -> tuple[str, ...]:
    """The labels that the lines cite, without duplicates."""
    return tuple(dict.fromkeys(label for line in lines for label in line.citations))
