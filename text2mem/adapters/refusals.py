"""Refusals that every backend words alike."""

from __future__ import annotations

from text2mem.errors import ExecutionError
from text2mem.ir.record import Record


def superseded(record: Record) -> ExecutionError:
    """A new value for a version of a fact that was over before the value would begin."""
    return ExecutionError(
        "superseded-fact",
        f"memory {record.id} is a past version of a fact, so it takes no new value",
        hint="update the current version; Retrieve finds it by subject and attribute",
    )
