"""Refusals that every backend words alike."""

from __future__ import annotations

from collections.abc import Sequence

from text2mem.errors import ExecutionError
from text2mem.ir.record import Record


def superseded(record: Record) -> ExecutionError:
    """A new value for a version of a fact that was over before the value would begin."""
    return ExecutionError(
        "superseded-fact",
        f"memory {record.id} is a past version of a fact, so it takes no new value",
        hint="update the current version; Retrieve finds it by subject and attribute",
    )


def not_a_fact(record: Record) -> ExecutionError:
    """A value for a memory that has none."""
    return ExecutionError(
        "not-a-fact",
        f"memory {record.id} is not a fact, so it has no value to update",
        hint="set its text, or encode a structured payload with subject, attribute, value",
    )


def nothing_to_merge(primary_id: str) -> ExecutionError:
    """A Merge whose target holds only the primary."""
    return ExecutionError(
        "merge-one-memory",
        f"no other memory than the primary {primary_id} to merge",
        hint="the target must hold at least two memories",
    )


def no_embedder() -> ExecutionError:
    """A search by a vector where nothing makes vectors."""
    return ExecutionError(
        "no-embedder",
        "this store has no embedder, so it cannot search by a vector",
        hint="search with intent.query",
    )


def refuse_facts(rows: Sequence[Record], code: str, op: str) -> None:
    """Merge and Split rework text, which a fact does not have."""
    for row in rows:
        if row.is_fact:
            raise ExecutionError(
                code,
                f"memory {row.id} is a fact, and {op} refuses facts",
                hint="a fact changes through Update",
            )
