"""Answers: the text that a model reads, and the same as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from text2mem.doors.effects import changes_in_words, named
from text2mem.doors.escaping import escaped
from text2mem.errors import ExecutionError, RepairExhausted, Text2MemError, ValidationError
from text2mem.ir.diagnostic import render
from text2mem.ir.ops import READS
from text2mem.ir.result import ExecutionResult, Failure, ProgramResult
from text2mem.ir.values import as_text

_LINES = 12
_SHORT = 120
_ROW = 600
_DIAGNOSTICS = 12


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that waits for an answer under a token, with the labels of its options."""

    text: str
    options: tuple[str, ...]
    token: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool says. ``asked`` is a question that the client may put to a person."""

    text: str
    data: Mapping[str, Any] = field(default_factory=dict)
    failed: bool = False
    asked: Asked | None = None


def line(value: Any, limit: int = _SHORT) -> str:
    """A value in one line, cut where it is long, without what would steer a terminal."""
    text = visible(as_text(value))
    return text if len(text) <= limit else text[: limit - 1] + "…"


def visible(text: str) -> str:
    """A text in one line, without what would steer a terminal."""
    return escaped(text.replace("\n", " "))


def failure(error: Text2MemError) -> Answer:
    """An error as an answer: what it says, and what to do about it."""
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


def refused(error: Failure) -> Answer:
    """What the store refused."""
    return failure(
        ExecutionError(error.code, error.message, pointer=error.pointer, hint=error.hint)
    )


def outcome(result: ProgramResult) -> str:
    """What a program did, or would do: a line a step, its rows, and the first changes."""
    return "\n".join(part for step in result.results for part in _step(step))


def touched(result: ProgramResult) -> tuple[str, ...]:
    """The memories that a program affected, returned or made; of a dry run those that it read."""
    return tuple(dict.fromkeys(
        id_
        for step in result.results
        if step.op in READS or not step.dry_run
        for id_ in (*step.affected, *step.created)
    ))  # fmt: skip


def changes(result: ProgramResult) -> bool:
    """Whether a program changed something, or would."""
    return any(step.changes for step in result.results)


def _step(step: ExecutionResult) -> Iterator[str]:
    told = f"changed {named(step.affected)}" if step.affected else "changed nothing"
    if step.op in READS:
        told = f"{len(step.affected)} of {step.matched} matching memories"
    elif step.created:
        told = f"made {named(step.created)}"
    yield f"{step.op}: {told}{' (nothing is kept)' if step.dry_run else ''}"
    for row in step.rows:
        yield f"  {shown(row)}"
    lines = list(map(line, changes_in_words(step.changes)))
    yield from (f"  {each}" for each in lines[:_LINES])
    if len(lines) > _LINES:
        yield f"  and {len(lines) - _LINES} more changes"
    yield from (f"  note: {line(each)}" for each in step.warnings)


def shown(row: Mapping[str, Any]) -> str:
    """A row of a read: id, text, tags; of a digest the text and what it rests on."""
    if "summary" in row:
        return f"{line(row['summary'], 4 * _ROW)}  [{', '.join(row['ids'])}]"
    tags = "".join(f"  #{line(tag)}" for tag in row.get("tags") or ())
    return f"[m{row['id']}] {line(row.get('text', ''), _ROW)}{tags}"
