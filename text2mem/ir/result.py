"""What running a program returns: the same type from every backend.

See docs/language.md, "Ids, results".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from text2mem.errors import ExecutionError
from text2mem.ir.effects import outcome
from text2mem.ir.record import AsJson


@dataclass(frozen=True, slots=True)
class Change:
    """One field of one memory, before and after, as JSON values."""

    id: str
    field: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a program was refused. ``pointer`` addresses the program, ``memory`` is in the way."""

    code: str
    message: str
    pointer: str = ""
    hint: str = ""
    memory: str = ""

    @classmethod
    def of(cls, error: ExecutionError) -> Failure:
        """An exception as a result holds it."""
        return cls(error.code, error.message, error.pointer, error.hint, error.memory)

    def as_error(self) -> ExecutionError:
        """The same as an exception."""
        return ExecutionError(
            self.code, self.message, pointer=self.pointer, hint=self.hint, memory=self.memory
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionResult(AsJson):
    """What one step did. Ids are decimal strings; ``matched`` counts before any limit."""

    ok: bool
    op: str
    affected: tuple[str, ...] = ()
    created: tuple[str, ...] = ()
    rows: tuple[Mapping[str, Any], ...] = ()
    matched: int = 0
    changes: tuple[Change, ...] = ()
    dry_run: bool = False
    warnings: tuple[str, ...] = ()
    error: Failure | None = None
    duration_ms: float = 0.0
    trace_id: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The result as JSON, every field present: ``schema/result.v1.schema.json``."""
        return {**AsJson.as_dict(self), "duration_ms": round(self.duration_ms, 3)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramResult(AsJson):
    """What a whole program did: all of its steps, or none of them.

    ``basis`` is what a dry run was shown on, for the run after it.
    """

    ok: bool
    trace_id: str
    dry_run: bool = False
    basis: str | None = None
    results: tuple[ExecutionResult, ...] = ()

    @property
    def error(self) -> Failure | None:
        """The failure that rolled the program back, if one did."""
        return next((r.error for r in self.results if r.error is not None), None)

    def __str__(self) -> str:
        return outcome(self)

    def checked(self) -> ProgramResult:
        """This result. Raises ExecutionError where the store refused the program."""
        if self.error is not None:
            raise self.error.as_error()
        return self
