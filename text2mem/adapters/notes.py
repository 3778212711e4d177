"""Warnings that backends give in several places, or that are not in ``prompts/messages.toml``."""

from __future__ import annotations

from text2mem.ir.record import Record
from text2mem.messages import told


def undeclared_attribute(name: str) -> str:
    """For an Encode of a fact whose attribute the registry does not declare."""
    return f"the registry does not declare the attribute '{name}': it holds one value at a time"


def unknown_retention(policy: str) -> str:
    """For an Encode whose retention policy is no retention class of the registry."""
    return f"the registry has no retention class '{policy}': nothing expires by it"


def waiting(record: Record, floor: float) -> str:
    """For a fact whose confidence is below the registry's floor: the reason that was stored with
    it, if there is one (``ledger.reconcile``)."""
    reason = record.payload.get("waits") or f"its confidence {record.confidence} is below {floor}"
    return f"memory {record.id} waits: {reason}"


def repeated(record: Record) -> str:
    """For a value that a version of the fact holds already."""
    return told("value-held", id=record.id)


def softened(record: Record, action: str) -> str:
    """For an expiry that became a soft delete because of a lock."""
    instead = "anonymised" if action == "anonymize" else "erased"
    return f"memory {record.id} is locked: soft-deleted instead of {instead}"


def without_vector(id_: str) -> str:
    """For a memory for which the embedding service made no vector."""
    return f"no vector for memory {id_}: the embedding service did not answer"
