"""Answers: the text that a model reads, and the same as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from text2mem.errors import ExecutionError, RepairExhausted, Text2MemError, ValidationError
from text2mem.ir.diagnostic import render
from text2mem.ir.effects import short, step_in_words, visible
from text2mem.ir.result import ProgramResult

_SHORT = 120
LONG = 300
"""How many characters an option has at most, or a line of what it would do."""
_ROW = 600
_DIAGNOSTICS = 12


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that a client may show as a form: its options by label, the token that an answer
    needs, and the ``title`` of the field."""

    text: str
    options: tuple[str, ...]
    token: str
    title: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool returns: text for a model, and data. A client may show ``asked`` as a form."""

    text: str
    data: Mapping[str, Any] = field(default_factory=dict)
    failed: bool = False
    asked: Asked | None = None


def line(value: Any, limit: int = _SHORT) -> str:
    """A value on one line, shortened, with control characters made visible."""
    return visible(short(value, limit))


def failure(error: Text2MemError) -> Answer:
    """An error as an answer: message and hint."""
    told: dict[str, Any] = {
        "type": type(error).__name__, "message": error.message, "hint": error.hint,
    }  # fmt: skip
    if isinstance(error, ExecutionError):
        told |= {"code": error.code, "pointer": error.pointer}
    lines = [error.message, *([error.hint] if error.hint else [])]
    if isinstance(error, ValidationError):
        first = error.diagnostics[:_DIAGNOSTICS]
        told["diagnostics"] = [each.as_dict() for each in first]
        lines = [render(first)]
    if isinstance(error, RepairExhausted):
        told["attempts"] = len(error.attempts)
    return Answer("\n".join(lines), {"error": told}, failed=True)


def outcome(result: ProgramResult) -> str:
    """What each step did, or would do: its rows, and the first changes."""
    return "\n".join(
        text if kind == "done" else f"  {text if kind == 'row' else line(text)}"
        for step in result.results
        for kind, text in step_in_words(step, shown)
    )


def shown(row: Mapping[str, Any]) -> str:
    """A row of a read: id, text, tags; of a digest the text and what it rests on."""
    if "summary" in row:
        return f"{line(row['summary'], 4 * _ROW)}  [{', '.join(row['ids'])}]"
    tags = "".join(f"  #{line(tag)}" for tag in row.get("tags") or ())
    return f"[m{row['id']}] {line(row.get('text', ''), _ROW)}{tags}"
