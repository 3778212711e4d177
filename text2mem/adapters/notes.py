"""Warnings that every backend words alike.

Where one op has several of them, they stand in the order of this module.
"""

from __future__ import annotations

from collections.abc import Sequence

from text2mem.ir.record import Record


def undeclared_attribute(name: str) -> str:
    """An Encode of a fact whose attribute the registry does not name."""
    return f"the registry does not declare the attribute '{name}': it holds one value at a time"


def unknown_retention(policy: str) -> str:
    """An Encode whose retention policy is no class of the registry."""
    return f"the registry has no retention class '{policy}': nothing expires by it"


def waiting(record: Record, floor: float) -> str:
    """A fact that is less sure than the registry's floor."""
    return f"memory {record.id} waits: its confidence {record.confidence} is below {floor}"


def repeated(record: Record) -> str:
    """A value that a version of the fact holds already."""
    return f"memory {record.id} holds this value already: it gains a source"


def reminder_ends(record: Record, primary: Record) -> str:
    """A Merge that hides a memory with a reminder, and whose primary rings for another."""
    return f"the reminder of memory {record.id} ends with it: memory {primary.id} keeps one alone"


def nothing_to_split(record: Record) -> str:
    """A Split of a memory that gives fewer than two parts."""
    return f"memory {record.id} has nothing to split"


def still_held(id_: str, holders: Sequence[str]) -> str:
    """A hard delete of what other memories, which the caller may read, hold as well."""
    return f"memory {id_}'s content is still held by: {', '.join(holders)}"


def cannot_be_undone() -> str:
    """Any hard delete."""
    return "a hard delete cannot be undone"


def ends_for_good(on_expire: str) -> str:
    """An Expire that will erase (``hard_delete``) or anonymise (``anonymize``)."""
    return f"memories {_done(on_expire)} by this expiry cannot be brought back"


def softened(record: Record, action: str) -> str:
    """An expiry that a lock turned into a soft delete."""
    return f"memory {record.id} is locked: soft-deleted instead of {_done(action)}"


def without_vector(id_: str) -> str:
    """A memory that the embedding service made no vector for."""
    return f"no vector for memory {id_}: the embedding service did not answer"


def _done(action: str) -> str:
    return "anonymised" if action == "anonymize" else "erased"
