"""The results of programs, for every backend (docs/language.md, "Ids, results")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from text2mem.errors import ExecutionError
from text2mem.ir.effects import outcome
from text2mem.ir.record import AsJson


@dataclass(frozen=True, slots=True)
class Change:
    """The change of one field of one memory, with JSON values."""

    id: str
    """The id of the memory."""
    field: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Failure:
    """Why the store refused a program."""

    code: str
    """A code of ``REFUSALS`` (``text2mem.ir.diagnostic``)."""
    message: str
    pointer: str = ""
    """The JSON Pointer of the refused part of the program."""
    hint: str = ""
    memory: str = ""
    """The id of the memory that is the reason, if there is one."""

    @classmethod
    def of(cls, error: ExecutionError) -> Failure:
        return cls(error.code, error.message, error.pointer, error.hint, error.memory)

    def as_error(self) -> ExecutionError:
        return ExecutionError(
            self.code, self.message, pointer=self.pointer, hint=self.hint, memory=self.memory
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionResult(AsJson):
    """The result of one step. Ids are decimal strings."""

    ok: bool
    op: str
    affected: tuple[str, ...] = ()
    created: tuple[str, ...] = ()
    rows: tuple[Mapping[str, Any], ...] = ()
    matched: int = 0
    """How many memories the target hit before its limit."""
    changes: tuple[Change, ...] = ()
    dry_run: bool = False
    warnings: tuple[str, ...] = ()
    error: Failure | None = None
    duration_ms: float = 0.0
    trace_id: str = ""

    def as_dict(self) -> dict[str, Any]:
        """All fields as JSON (``schema/result.v1.schema.json``)."""
        return {**AsJson.as_dict(self), "duration_ms": round(self.duration_ms, 3)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramResult(AsJson):
    """The result of a program. Either all of its steps were carried out, or none."""

    ok: bool
    trace_id: str
    dry_run: bool = False
    basis: str | None = None
    """The state of the store that a dry run was made on, to be given to the run after it."""
    results: tuple[ExecutionResult, ...] = ()
    """The results of the steps; of a refused program, only that of the refused step."""

    @property
    def error(self) -> Failure | None:
        """Why the store rolled the program back, if it did."""
        return next((r.error for r in self.results if r.error is not None), None)

    def __str__(self) -> str:
        return outcome(self)

    def checked(self) -> ProgramResult:
        """Return this result. Raises ExecutionError if the store refused the program."""
        if self.error is not None:
            raise self.error.as_error()
        return self
