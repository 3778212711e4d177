"""What an Update sets in the plain store, and what other ops set in the same way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from text2mem.adapters.base import Effect, Env
from text2mem.ir.exchange import edits_in
from text2mem.ir.ops import (
    CONTENTS,
    Content,
    Demote,
    Edits,
    Promote,
    Remind,
    Update,
    beside_content,
)
from text2mem.ir.record import ERASING, NO_REMINDER, Record, lasting
from text2mem.ir.times.rrule import next_occurrence, zone_key
from text2mem_bench.oracle.facts import admit, refuse_overlaps, supersede, unarchived
from text2mem_bench.oracle.state import Changes, unique


def update(op: Update, rows: Sequence[Record], env: Env, changes: Changes) -> Effect:
    """Fields or words edited in place; a fact's new value makes a new version instead.

    A waiting fact whose confidence is raised enters the ledger. Raises ExecutionError
    "fact-overlap" where a fact is led to a time that another one has taken.
    """
    affected: list[str] = []
    warnings: list[str] = []
    floor = changes.registry.confidence_floor
    for row in rows:
        # As it is now: an edit of an earlier row may have closed it.
        current = changes.state.records[row.id]
        edits = edits_in(current, op)
        fields = edited(current, edits, env, changes)
        stays_deleted = current.deleted and "deleted" not in edits
        if "value" in edits:
            id_, _, told = supersede(changes, current, edits["value"], fields, env)
        elif current.pending and not stays_deleted and edits.get("confidence", -1.0) >= floor:
            id_, _, told = admit(changes, current, fields, env)
        else:
            changes.change(row.id, **fields)
            id_, told = row.id, ()
        affected.append(id_)
        warnings.extend(told)
    refuse_overlaps(changes)
    return Effect(affected=unique(affected), warnings=tuple(warnings))


def edited(record: Record, edits: Edits, env: Env, changes: Changes) -> dict[str, Any]:
    """The fields of a record that an Update sets; ``value`` is left to the facts."""
    fields: dict[str, Any] = {}
    for key, given in edits.items():
        value: Any = given
        if key in CONTENTS:
            payload = {**beside_content(record.payload), key: value}
            fields |= {"text": text_of(Content(key, value), env), "payload": payload}
        elif key == "ttl":
            fields |= {"expire_at": value.after(changes.now), "expire_action": "soft_delete"}
        elif key == "expire_at":
            action = None if value is None else record.expire_action or "soft_delete"
            fields |= {"expire_at": value, "expire_action": action}
        elif key == "remind":
            fields |= reminder(value, env, changes)
        elif key == "archived":
            fields = {**unarchived(record), **fields}
            if "weight" in edits:
                fields["weight"] = edits["weight"]
        elif key == "deleted":
            fields["deleted"] = False
            gone_by = record.expire_at is not None and record.expire_at <= changes.now
            if record.deleted and gone_by and record.expire_action not in ERASING:
                # It would be hidden again at once.
                fields = {"expire_at": None, "expire_action": None, **fields}
        elif key != "value":
            fields[key] = value
    if "weight" in fields or "archived" in fields:
        fields |= lasting(record, fields)
    return fields


def text_of(content: Content, env: Env) -> str:
    """The text of a content: its own, or what is behind a url, if anything is."""
    fetched = env.services.fetch(content.text) if content.kind == "url" else None
    return fetched or content.text


def reminder(remind: Remind | None, env: Env, changes: Changes) -> dict[str, Any]:
    """The fields of a reminder whose rule counts from now in the zone of the context.

    Without a rule it has its instant alone; with one, the instant comes first. None takes it off.
    """
    if remind is None:
        return dict(NO_REMINDER)
    if remind.rrule is None:
        return {**NO_REMINDER, "remind_next": remind.at, "remind_start": changes.now}
    start = remind.start or changes.now
    following = remind.at or next_occurrence(
        remind.rrule, after=changes.now, start=start, tz=env.context.tz, until=remind.until
    )
    return {
        "remind_rrule": remind.rrule,
        "remind_until": remind.until,
        "remind_next": following,
        "remind_start": start,
        "remind_tz": zone_key(env.context.tz),
    }


def reweighted(record: Record, op: Promote | Demote) -> float:
    """The weight that is set, or the one that a delta leads to: within [0, 1], six decimals."""
    if op.weight is not None:
        return op.weight
    return round(min(max(record.weight + (op.weight_delta or 0.0), 0.0), 1.0), 6)
