"""Carrying out in the memory adapter what is due (docs/language.md, "Expiry and reminders")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from text2mem.adapters.base import Effect
from text2mem.adapters.memory_state import Changes
from text2mem.adapters.notes import softened
from text2mem.ir.record import ANONYMOUS, DEMOTED_WEIGHT, ERASING, Record, locked


def settle(changes: Changes) -> Effect:
    """Carry out every expiry that has come, in id order."""
    due = [
        record
        for record in changes.records()
        if record.expires and record.expire_at is not None and record.expire_at <= changes.now
    ]
    warnings: list[str] = []
    for record in due:
        action = record.expire_action or "soft_delete"
        if locked(record, changes.now) and action in ERASING:
            warnings.append(softened(record, action))
            action = "soft_delete"
        end(record, action, changes)
    affected = tuple(record.id for record in due)
    return replace(changes.effect(), affected=affected, warnings=tuple(warnings))


def end(record: Record, action: str, changes: Changes) -> None:
    """Carry out one memory's expiry."""
    if action == "hard_delete":
        changes.erase(record.id)
        return
    outcome: dict[str, Mapping[str, Any]] = {
        "soft_delete": {"deleted": True},
        "demote": {"weight": min(record.weight, DEMOTED_WEIGHT), "archived": True},
        "anonymize": ANONYMOUS,
    }
    changes.change(record.id, expire_at=None, expire_action=None, **outcome[action])
    if action == "anonymize":
        changes.forget(record.id)
