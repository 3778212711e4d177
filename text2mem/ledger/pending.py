"""What waits, approved or rejected by a person."""

from __future__ import annotations

from typing import Any

from text2mem.errors import Text2MemError
from text2mem.ir.record import Record, as_row
from text2mem.ir.result import ProgramResult
from text2mem.ledger.ledger import Ledger
from text2mem.ledger.reconcile import approval, deletion

_FIELDS = (
    "subject", "attribute", "value", "type", "valid_from", "valid_to", "source",
    "source_episode_id", "created_at",
)  # fmt: skip


class NothingWaits(Text2MemError):
    """No fact of this id waits."""

    def __init__(self, id_: str) -> None:
        super().__init__(f"no fact {id_} waits", hint="`text2mem pending` lists those that do")


def approve(ledger: Ledger, id_: str) -> ProgramResult:
    """Let a fact count; where another version says the same by now, that one gains the source."""
    return ledger.run(approval(_waiting(ledger, id_)))


def reject(ledger: Ledger, id_: str) -> ProgramResult:
    """Delete a fact that waits; ``undo`` brings it back."""
    return ledger.run(deletion(_waiting(ledger, id_)))


def pending_row(record: Record) -> dict[str, Any]:
    """A fact that waits, as JSON: with the reason, and how sure it was heard."""
    row = as_row(record, _FIELDS)
    row["waits"] = record.payload.get("waits")
    row["confidence"] = record.payload.get("confidence", record.confidence)
    return row


def _waiting(ledger: Ledger, id_: str) -> Record:
    found = ledger.find([id_]).get(id_)
    if found is None or not found.pending:
        raise NothingWaits(id_)
    return found
