"""Memories for the tests of the frameworks: a clock that a test sets, and a scripted planner."""

from __future__ import annotations

from pathlib import Path

from tests.doors.scripted import MODEL
from tests.doors.talking import Wall
from text2mem.ir.context import ExecutionContext
from text2mem.memory import Memory
from text2mem.providers.registry import open_provider


def opened(
    path: str | Path,
    *,
    clock: Wall | None = None,
    tenant: str = "default",
    actor: str | None = None,
    reader: str = "none",
) -> Memory:
    """A store in a file, of a tenant and an actor."""
    context = ExecutionContext(clock=clock or Wall(), tenant=tenant, actor=actor)
    return Memory(
        path, context=context, embedder="none", summariser="extractive",
        model=open_provider(MODEL), reader=reader,
    )  # fmt: skip
