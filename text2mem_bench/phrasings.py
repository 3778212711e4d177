"""Which verbs a model hears in given phrasings: rows of input and expected ops."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from text2mem.clock import FixedClock
from text2mem.compiled import Clarification
from text2mem.errors import ConfigurationError, PlannerError
from text2mem.pipeline import compile
from text2mem.program import Program
from text2mem.providers.base import Provider

NOW = datetime(2026, 3, 4, 10, 30, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Heard:
    """One phrasing and what became of it. ``got`` is empty where no program came out."""

    id: str
    input: str
    expected: tuple[str, ...]
    got: tuple[str, ...]
    seconds: float
    redrafts: int
    error: str = ""

    @property
    def right(self) -> bool:
        """Whether the program asks for the expected ops.

        A Merge of what is described and not named by ids is planned as a Retrieve and a Merge that
        refers to it; that Retrieve is a part of the Merge.
        """
        if self.got == self.expected:
            return True
        return self.expected == ("Merge",) and self.got == ("Retrieve", "Merge")


def cases(path: str | Path) -> list[dict[str, Any]]:
    """The rows of a phrasings file: ``{"id", "input", "expected": {"ops": [...]}}``."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines if line.strip()]
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"cannot read {path}: {error}") from error


def listen(rows: Iterable[dict[str, Any]], provider: Provider, *, seed: int = 0) -> Iterator[Heard]:
    """Compile each phrasing without a store and say which ops came out."""
    clock = FixedClock(NOW)
    for row in rows:
        begun = time.perf_counter()
        program: Program | None = None
        said = ""
        try:
            compiled = compile(row["input"], model=provider, clock=clock, seed=seed)
            if isinstance(compiled, Clarification):
                said = f"asks back: {compiled.question}"
            elif isinstance(compiled, Program):
                program = compiled
        except PlannerError as error:
            said = str(error)
        trace = program.trace if program else None
        yield Heard(
            id=row["id"],
            input=row["input"],
            expected=tuple(row["expected"]["ops"]),
            got=tuple(op.name for op in program.ops) if program else (),
            seconds=time.perf_counter() - begun,
            redrafts=len(trace.attempts) - 1 if trace else 0,
            error=said,
        )
