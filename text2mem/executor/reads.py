"""Retrieve and Summarize, computed from the rows of their target."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from text2mem.adapters.base import Selection
from text2mem.executor.prepared import Prepared
from text2mem.ir.ops import Retrieve, Summarize
from text2mem.ir.record import as_row, locked
from text2mem.messages import told

_Read = tuple[tuple[dict[str, Any], ...], tuple[str, ...]]
"""The rows of a read, and its warnings."""


def retrieve(op: Retrieve, selection: Selection, now: datetime) -> _Read:
    """The rows with the fields of ``include`` (and the score of a search), and the warnings. A lock
    that has ended by ``now`` is none."""
    rows = []
    for record in selection.rows:
        ended = record.lock_mode is not None and not locked(record, now)
        row = as_row(replace(record, lock_mode=None) if ended else record, op.include)
        if record.id in selection.scores and (not op.include or "score" in op.include):
            row["score"] = round(selection.scores[record.id], 6)
        rows.append(row)
    return tuple(rows), _shown(len(rows), selection.matched)


def summarise(op: Summarize, selection: Selection, prepared: Prepared) -> _Read:
    """One row with the digest and the ids that it rests on, and the warnings; nothing if the target
    is empty. Raise NotPrepared if the summariser has to answer first."""
    if not selection.rows:
        return (), ()
    digest = prepared.summarise(
        [record.text for record in selection.rows],
        focus=op.focus, max_tokens=op.max_tokens, lang=op.lang,
    )  # fmt: skip
    ids = [record.id for record in selection.rows]
    row = {"summary": digest.text, "ids": ids, "extractive": digest.extractive}
    notes = (told("extractive"), *digest.notes) if digest.extractive else digest.notes
    return (row,), (*notes, *_shown(len(selection.rows), selection.matched))


def _shown(count: int, matched: int) -> tuple[str, ...]:
    """A warning if not all matching memories are in the result."""
    return (told("found-some", count=count, matched=matched),) if count < matched else ()
