"""Carrying out in the plain store what is due (docs/language.md, "Expiry and reminders")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from text2mem.adapters.base import Effect
from text2mem.adapters.notes import softened
from text2mem.ir.record import ANONYMOUS, DEMOTED_WEIGHT, ERASING, Record, locked, wakes
from text2mem_bench.oracle.state import Changes, ids_of, in_id_order


def settle(changes: Changes) -> Effect:
    """Carry out every expiry that has come, and end every demotion that is over, in id order."""
    now = changes.now
    ending = [
        record
        for record in changes.records()
        if record.expires and record.expire_at is not None and record.expire_at <= now
    ]
    over = [
        record
        for record in changes.records()
        if record.demoted_until is not None and record.demoted_until <= now
    ]
    for record in over:
        # An expiry that came first has demoted it for good.
        if wakes(record, now):
            wake(record, changes)
    warnings: list[str] = []
    for record in (changes.state.records[each.id] for each in ending):
        action = record.expire_action or "soft_delete"
        if action in ERASING and locked(record, record.expire_at or changes.now):
            warnings.append(softened(record, action))
            action = "soft_delete"
        end(record, action, changes)
    affected = ids_of(in_id_order({record.id: record for record in (*ending, *over)}.values()))
    return replace(changes.effect(), affected=affected, warnings=tuple(warnings))


AWAKE: Mapping[str, Any] = {"demoted_until": None, "demoted_from": {}}
"""The fields of a memory that is not demoted for a while."""


def wake(record: Record, changes: Changes) -> None:
    """Weight and archived state as they were before the demotion, if nothing has set them since."""
    changes.change(record.id, **{**record.demoted_from, **AWAKE})


def end(record: Record, action: str, changes: Changes) -> None:
    """Carry out one memory's expiry."""
    if action == "hard_delete":
        changes.erase(record.id)
        return
    outcome: dict[str, Mapping[str, Any]] = {
        "soft_delete": {"deleted": True},
        "demote": {"weight": min(record.weight, DEMOTED_WEIGHT), "archived": True, **AWAKE},
        "anonymize": ANONYMOUS,
    }
    changes.change(record.id, expire_at=None, expire_action=None, **outcome[action])
    if action == "anonymize":
        changes.forget(record.id)
