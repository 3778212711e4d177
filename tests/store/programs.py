"""Programs in a few words, a store to run them on, and an embedder that always says the same."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from math import hypot
from pathlib import Path
from typing import Any, Literal

from text2mem import ExecutionContext, FixedClock, Memory
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.ir.result import ProgramResult

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
LONG = bool(os.environ.get("TEXT2MEM_LONG_TESTS"))
"""Whether the long variants of these tests are wanted, too."""
DIMENSION = 16

Step = dict[str, Any]


class WordHashes:
    """An embedder: every word has a direction of its own, a text the sum of its words'."""

    dimension = DIMENSION
    threshold = 0.3

    def __init__(self, model: str = "toy:hashes", dimension: int = DIMENSION) -> None:
        self.model = model
        self.dimension = dimension

    def embed(
        self, texts: Sequence[str], *, kind: Literal["passage", "query"]
    ) -> Sequence[Sequence[float]]:
        return [self.vector(text) for text in texts]

    def vector(self, text: str) -> list[float]:
        total = [0.0] * self.dimension
        for word in text.split():
            digest = hashlib.sha512((self.model + word).encode()).digest()
            for place in range(self.dimension):
                total[place] += digest[place] - 127.5
        length = hypot(*total) or 1.0
        return [part / length for part in total]


def context(**options: Any) -> ExecutionContext:
    """A local user at the fixed instant, who has confirmed wide writes."""
    return ExecutionContext(**{"clock": FixedClock(NOW), "confirmed": True, **options})


def opened(path: Path | str, *, embedder: WordHashes | None = None, **options: Any) -> Memory:
    """A store of a tenant on a file, or on ``:memory:``."""
    asked = context(**options)
    adapter = SqliteAdapter(path, tenant=asked.tenant)
    return Memory(adapter, context=asked, summariser="extractive", embedder=embedder)


def encode(text: str, **args: Any) -> Step:
    return {"stage": "ENC", "op": "Encode", "args": {"payload": {"text": text}, **args}}


def fact(subject: str, attribute: str, value: Any, **args: Any) -> Step:
    stated = {"subject": subject, "attribute": attribute, "value": value}
    return {"stage": "ENC", "op": "Encode", "args": {"payload": {"structured": stated}, **args}}


def on(op: str, target: Sequence[str] | dict[str, Any], **args: Any) -> Step:
    """A write on ids, or on any target."""
    chosen = target if isinstance(target, dict) else {"ids": list(target)}
    return {"stage": "STO", "op": op, "target": chosen, "args": args}


def read(target: Sequence[str] | dict[str, Any], op: str = "Retrieve", **args: Any) -> Step:
    """A Retrieve, or a Summarize."""
    return {**on(op, target, **args), "stage": "RET"}


def find(query: str, **options: Any) -> dict[str, Any]:
    """A target that searches by words."""
    return {"search": {"intent": {"query": query}, **options}}


def merge(primary: str, *others: str, **args: Any) -> Step:
    given = {"strategy": "merge_into_primary", "primary_id": primary, **args}
    return on("Merge", [primary, *others], **given)


def done(memory: Memory, *steps: Step) -> ProgramResult:
    """Run a program that must be taken."""
    result = memory.execute(list(steps))
    assert result.ok, result.error
    return result


def ids(memory: Memory, target: Any, **args: Any) -> list[str]:
    """The ids that a read of a target returns."""
    rows = done(memory, read(target, **args)).results[0].rows
    return [str(row["id"]) for row in rows]


def erase(memory: Memory, *doomed: str, **args: Any) -> tuple[str, ...]:
    """A hard delete; its warnings."""
    return done(memory, on("Delete", doomed, soft=False, **args)).results[0].warnings


def pending(warnings: Sequence[str]) -> bool:
    """Whether the bytes of what was erased are still to be taken out of the file."""
    return any("erase pending" in warning for warning in warnings)
