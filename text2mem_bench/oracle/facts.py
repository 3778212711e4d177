"""The ledger of the plain store: how versions of a fact share a time line (docs/ledger.md).

A version holds from its beginning up to, but not including, its ``valid_to``. One that ends where
it begins, or before, holds never: it is on no time line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from text2mem.adapters.base import Env
from text2mem.adapters.notes import repeated, waiting
from text2mem.adapters.refusals import (
    fact_overlap,
    refuse_new_value,
    refuse_to_close,
    superseded,
    unfit_value,
)
from text2mem.ir.ops import Content, as_lines, beside_content
from text2mem.ir.record import DEFAULT_WEIGHT, NO_REMINDER, Record, lasting, reminder_of
from text2mem.ir.registry import Attribute, Registry
from text2mem.ir.times.temporal import format_instant
from text2mem.ir.values import UnfitValue, canonical
from text2mem.ir.words.naming import name_key
from text2mem_bench.oracle.state import Changes

Entered = tuple[str, bool, tuple[str, ...]]
"""Where a statement ended: the id of its version, whether that is a new one, warnings."""


def fact_in(content: Content) -> Mapping[str, Any] | None:
    """The structured payload where it has subject, attribute and value, else None."""
    value = content.value
    if content.kind != "structured" or not isinstance(value, Mapping) or "value" not in value:
        return None
    named = [value.get("subject"), value.get("attribute")]
    return value if all(isinstance(name, str) and name for name in named) else None


# --- versions and their time line ----------------------------------------------------------


def holds_ever(record: Record) -> bool:
    """Whether there is an instant at which a fact holds, by its own validity."""
    return record.valid_to is None or record.begins < record.valid_to


def on_line(record: Record) -> bool:
    """Whether a memory is a fact that takes up time: not deleted, not waiting."""
    return record.is_fact and not record.deleted and not record.pending and holds_ever(record)


def others_on_line(changes: Changes, record: Record) -> list[Record]:
    """The other facts on a fact's time line: those of its subject, attribute and key."""
    return [
        other
        for other in changes.records()
        if other.id != record.id
        and on_line(other)
        and other.attribute == record.attribute
        and same_subject(other, record)
        and _key(changes.registry, other) == _key(changes.registry, record)
    ]


def same_subject(one: Record, other: Record) -> bool:
    """Whether two memories are about the same; a subject is a name, and compared as one."""
    return name_key(one.subject or "") == name_key(other.subject or "")


def _key(registry: Registry, record: Record) -> str:
    return registry.key(registry.attribute(record.attribute or ""), record.value)


def normal(registry: Registry, attribute: Attribute, value: Any) -> Any:
    """A value as the attribute stores it. Raises ExecutionError "value-type"."""
    try:
        return registry.normalise(attribute, value)
    except UnfitValue as unfit:
        raise unfit_value(attribute.name, str(unfit)) from unfit


def heard(record: Record, now: datetime) -> dict[str, Any]:
    """Where a fact's value comes from: an entry of ``sources``."""
    return {
        "episode": record.source_episode_id,
        "source": record.source,
        "confidence": record.confidence,
        "at": format_instant(now),
    }


# --- what is stated ------------------------------------------------------------------------


def enter(changes: Changes, new: Record, env: Env, *, end: datetime | None) -> Entered:
    """Store a new fact, which has no id yet, among those of its time line.

    ``end`` is the end that the statement names. One that is less sure than the floor waits.
    """
    new = replace(new, sources=(heard(new, changes.now),))
    if waits(changes, new):
        new = changes.create(replace(new, id=changes.new_id(), pending=True))
        return new.id, True, (waiting(new, changes.registry.confidence_floor),)
    holder = holding_it(changes, new, end)
    if holder is not None:
        gain(changes, holder, new, env)
        return holder.id, False, (repeated(holder),)
    new = changes.create(replace(place(changes, new, env), id=changes.new_id()))
    return new.id, True, ()


def supersede(
    changes: Changes, old: Record, value: Any, edits: Mapping[str, Any], env: Env
) -> Entered:
    """A new version of a fact with another value and the given fields; the old one is closed.

    Raises ExecutionError "not-a-fact", "pending-fact", "superseded-fact" or "value-type".
    """
    refuse_new_value(old)
    start = edits.get("valid_from") or changes.now
    if not holds_ever(old) or (old.valid_to is not None and old.valid_to <= start):
        raise superseded(old)
    new = _version(changes, old, value, {**edits, "valid_from": start})
    if "confidence" in edits and waits(changes, new):
        if "remind_next" not in edits:
            new = replace(new, **NO_REMINDER)  # until it enters the ledger
        return enter(changes, replace(new, supersedes=None), env, end=edits.get("valid_to"))
    holder = holding_it(changes, new, edits.get("valid_to")) if on_line(new) else None
    if holder is not None and holder.id == old.id:
        others = {k: v for k, v in edits.items() if k not in ("valid_from", "valid_to")}
        changes.change(old.id, **others, sources=(*old.sources, heard(new, changes.now)))
        return old.id, False, (repeated(old),)
    changes.change(old.id, valid_to=max(start, old.begins))
    if holder is not None:
        gain(changes, changes.fetch(holder.id), new, env)
        return holder.id, False, (repeated(holder),)
    changes.change(old.id, **NO_REMINDER)
    placed = place(changes, new, env) if on_line(new) else new
    sources = (heard(new, changes.now),)
    new = replace(placed, id=changes.new_id(), supersedes=old.id, sources=sources)
    return changes.create(new).id, True, ()


def _version(changes: Changes, old: Record, value: Any, edits: Mapping[str, Any]) -> Record:
    attribute = changes.registry.attribute(old.attribute or "")
    value = normal(changes.registry, attribute, value)
    subject = edits.get("subject", old.subject)
    structured = {"subject": subject, "attribute": old.attribute, "value": value}
    # Last, so that no text given beside the value can say something else than the value.
    fields = {
        "source": None,  # what has said the old value has not said this one
        "source_episode_id": None,
        **edits,
        "text": as_lines(structured),
        "payload": {**beside_content(old.payload), "structured": structured},
        "value": value,
    }
    made = {"created_at": changes.now, "updated_at": changes.now, "version": 1}
    blank = {"id": "", "schema_version": changes.registry.version}
    return replace(old, **{**fields, **made, **blank})


def waits(changes: Changes, record: Record) -> bool:
    """Whether a fact is less sure than the registry's floor."""
    return record.confidence is not None and (record.confidence < changes.registry.confidence_floor)


def holding_it(changes: Changes, new: Record, end: datetime | None) -> Record | None:
    """The version that holds a new fact's value already where it begins, if one does.

    None where the statement names an ``end`` before that version's own.
    """
    for other in others_on_line(changes, new):
        shorter = end is not None and (other.valid_to is None or end < other.valid_to)
        equal = canonical(other.value) == canonical(new.value)
        if equal and other.holds_at(new.begins) and not shorter:
            return other
    return None


def gain(changes: Changes, holder: Record, new: Record, env: Env) -> None:
    """A version gains the source of a statement that repeats it, and leaves the archive."""
    refuse_to_close(holder, env)
    shown = unarchived(holder) if holder.archived else {}
    changes.change(holder.id, **shown, sources=(*holder.sources, heard(new, changes.now)))


def unarchived(record: Record) -> dict[str, Any]:
    """The fields of a record that change where it leaves the archive."""
    fields: dict[str, Any] = {"archived": False}
    if "archived" in record.demoted_from:
        fields["weight"] = record.demoted_from.get("weight", record.weight)
    elif record.weight == 0:
        # Archiving set the weight to 0, where nothing would ever rank it up again.
        fields["weight"] = DEFAULT_WEIGHT
    return fields | lasting(record, fields)


def place(changes: Changes, new: Record, env: Env) -> Record:
    """Close what holds where a new fact begins; the fact with its ``valid_to``, ``supersedes``.

    It ends where the next version begins, unless it ends before.
    """
    if not holds_ever(new):
        return new
    start = new.begins
    others = others_on_line(changes, new)
    for other in others:
        if other.holds_at(start):
            refuse_to_close(other, env)
            changes.change(other.id, valid_to=start, **NO_REMINDER)
            new = replace(new, supersedes=other.id)
            if new.remind_next is None:
                new = replace(new, **reminder_of(other))
    ends = [other.begins for other in others if other.begins > start]
    ends += [] if new.valid_to is None else [new.valid_to]
    return replace(new, valid_to=min(ends, default=None))


# --- what is edited ------------------------------------------------------------------------


def admit(changes: Changes, row: Record, fields: Mapping[str, Any], env: Env) -> Entered:
    """A waiting fact, with the given fields and sure enough now, enters the ledger.

    Where its value holds already, that version gains its source and the fact is soft-deleted.
    """
    new = replace(row, **{**fields, "pending": False})
    holder = holding_it(changes, new, new.valid_to)
    if holder is not None:
        gain(changes, holder, new, env)
        changes.change(row.id, **{**fields, "deleted": True})
        return holder.id, False, (repeated(holder),)
    placed = place(changes, new, env)
    gained = {"valid_to": placed.valid_to, "supersedes": placed.supersedes, **reminder_of(placed)}
    changes.change(row.id, **{**fields, **gained, "pending": False})
    return row.id, False, ()


def refuse_overlaps(changes: Changes) -> None:
    """Whatever an op moved on its time line, or brought back there, must have room.

    Raises ExecutionError "fact-overlap".
    """
    for before, after in changes.touched():
        if after is not None and not (before is not None and _unmoved(before, after)):
            refuse_overlap(changes, after)


def refuse_overlap(changes: Changes, record: Record) -> None:
    """Raises ExecutionError "fact-overlap" where a fact has no room on its time line."""
    if not on_line(record):
        return
    for other in others_on_line(changes, record):
        if _overlap(record, other):
            raise fact_overlap(record, other)


def _unmoved(before: Record, after: Record) -> bool:
    places = [(each.begins, each.valid_to) for each in (before, after)]
    return on_line(before) and places[0] == places[1] and same_subject(before, after)


def _overlap(one: Record, other: Record) -> bool:
    """Whether two facts that hold at all hold together somewhere."""
    return one.holds_at(other.begins) or other.holds_at(one.begins)
