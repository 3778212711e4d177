"""Approve or reject pending facts."""

from __future__ import annotations

from typing import Any

from text2mem.errors import Text2MemError
from text2mem.ir.record import Record, as_row
from text2mem.ir.result import ProgramResult
from text2mem.ledger.ledger import Ledger
from text2mem.ledger.versions import approval, deletion

_FIELDS = (
    "subject", "attribute", "value", "type", "valid_from", "valid_to", "source",
    "source_episode_id", "created_at",
)  # fmt: skip


class NothingWaits(Text2MemError):
    """There is no pending fact with this id."""

    def __init__(self, id_: str) -> None:
        super().__init__(f"no fact {id_} waits", hint="`text2mem pending` lists those that do")


def approve(ledger: Ledger, id_: str) -> ProgramResult:
    """Let a pending fact count. If its value holds by now, that version gains the source."""
    return ledger.run(*approval(ledger, _waiting(ledger, id_)))


def reject(ledger: Ledger, id_: str) -> ProgramResult:
    """Delete a pending fact, softly: an undo restores it."""
    return ledger.run(deletion(_waiting(ledger, id_)))


def pending_row(record: Record) -> dict[str, Any]:
    """A pending fact as JSON, with the reason why it waits and the confidence of its statement."""
    row = as_row(record, _FIELDS)
    row["waits"] = record.payload.get("waits")
    row["confidence"] = record.payload.get("confidence", record.confidence)
    return row


def _waiting(ledger: Ledger, id_: str) -> Record:
    """The pending fact with this id. Raise NothingWaits if there is none."""
    fact = ledger.find([id_]).get(id_)
    if fact is None or not fact.pending:
        raise NothingWaits(id_)
    return fact
