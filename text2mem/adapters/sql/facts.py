"""The ledger: entering a fact into its time line, and closing the version that it supersedes, by
the rules of docs/ledger.md. A unique index and triggers of the database enforce them, too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeGuard

from text2mem.adapters.base import Env
from text2mem.adapters.refusals import fact_overlap, refuse_to_close, unfit_value
from text2mem.adapters.sql.codec import subject_key
from text2mem.adapters.sql.editing import edited
from text2mem.adapters.sql.store import Store
from text2mem.ir.record import NO_REMINDER, Record, reminder_of
from text2mem.ir.registry import Attribute
from text2mem.ir.times.temporal import format_instant
from text2mem.ir.values import UnfitValue, canonical

_ON_ITS_LINE = (
    "SELECT * FROM memories WHERE tenant = :tenant AND subject_key = :subject "
    "AND attribute = :attribute AND fact_key = :key AND id <> :id "
    "AND deleted = 0 AND pending = 0 AND (valid_to IS NULL OR valid_to > valid_from) "
)


def is_fact(content: Any) -> TypeGuard[Mapping[str, Any]]:
    """Whether a payload's content is a fact."""
    if not isinstance(content, Mapping) or "value" not in content:
        return False
    return all(
        isinstance(content.get(key), str) and content[key] for key in ("subject", "attribute")
    )


def as_fact(record: Record, content: Mapping[str, Any], store: Store) -> Record:
    """The record with the fields of the fact in its payload, normalised by the registry; pending if
    its confidence is below the floor. Raises ExecutionError "value-type"."""
    attribute = store.registry.attribute(content["attribute"])
    value = normalised(attribute, content["value"], store)
    return replace(
        record, subject=record.subject or content["subject"], attribute=attribute.name,
        value=value, valid_from=record.valid_from or record.time or record.created_at,
        pending=unsure(record, store), sources=(source_entry(record, record.created_at),),
    )  # fmt: skip


def unsure(record: Record, store: Store) -> bool:
    """Whether a fact's confidence is below the registry's floor."""
    return record.confidence is not None and record.confidence < store.registry.confidence_floor


def normalised(attribute: Attribute, value: Any, store: Store) -> Any:
    """The value as the registry normalises it. Raises ExecutionError "value-type"."""
    try:
        return store.registry.normalise(attribute, value)
    except UnfitValue as error:
        raise unfit_value(attribute.name, str(error)) from error


def source_entry(record: Record, at: datetime) -> dict[str, Any]:
    """The entry in ``sources`` for a fact heard at ``at``."""
    return {
        "episode": record.source_episode_id, "source": record.source,
        "confidence": record.confidence, "at": format_instant(at),
    }  # fmt: skip


def enter(
    new: Record, store: Store, env: Env, *, stated: Record | None = None
) -> tuple[Record | None, list[tuple[Record, Record]]]:
    """Enter a fact into its time line: close the version that holds when it begins.

    Returns the fact with its end and what it supersedes, which the caller inserts, and the changed
    versions before and after. A version that says the same already gains a source instead, and
    leaves the archive; the fact is None. ``stated`` is compared for that, if ``new`` has an end
    not stated.
    """
    start = new.valid_from
    assert start is not None
    if new.valid_to is not None and new.valid_to <= start:
        return new, []
    # Versions of a line do not overlap: only the last one that has begun by then may hold.
    holding = _version(new, store, "valid_from <= :at ORDER BY valid_from DESC", start)
    if holding is not None and holding.valid_to is not None and holding.valid_to <= start:
        holding = None
    if holding is not None:
        refuse_to_close(holder=holding, env=env)
    if holding is not None and matches(holding, stated or new):
        # What is said again is no longer put away.
        shown = edited(holding, {"archived": False}, env) if holding.archived else holding
        after = replace(shown, sources=(*holding.sources, source_entry(new, env.now)))
        return None, [store.change(holding, after, env.now)]
    following = _version(new, store, "valid_from > :at ORDER BY valid_from, id", start)
    if following is not None and following.valid_from is not None:
        ends = [end for end in (new.valid_to, following.valid_from) if end is not None]
        new = replace(new, valid_to=min(ends))
    if holding is None:
        return new, []
    closed = store.change(holding, replace(holding, valid_to=start, **NO_REMINDER), env.now)
    new = replace(new, supersedes=new.supersedes or holding.id)
    if new.remind_next is None:  # otherwise it keeps its own reminder
        new = replace(new, **reminder_of(holding))
    return new, [closed]


def same_line(one: Record, other: Record, store: Store) -> bool:
    """Whether two facts are on the same time line."""
    return (
        one.attribute == other.attribute
        and subject_key(one.subject) == subject_key(other.subject)
        and store.fact_key(one) == store.fact_key(other)
    )


def check_room(record: Record, store: Store) -> None:
    """Raise ExecutionError "fact-overlap", which names the other version, if that one's validity
    overlaps this one's. The database would refuse it, too."""
    start, end = record.valid_from, record.valid_to
    if not record.is_fact or record.deleted or record.pending or start is None:
        return
    if end is not None and end <= start:
        return
    last = _version(record, store, "valid_from < :at ORDER BY valid_from DESC", end)
    if last is not None and (last.valid_to is None or last.valid_to > start):
        raise fact_overlap(record, last)


def matches(holding: Record, new: Record) -> bool:
    """Whether a version says the same as a new one, which has the same value and names no earlier
    end."""
    if canonical(holding.value) != canonical(new.value):
        return False
    if new.valid_to is None:
        return True
    return holding.valid_to is not None and new.valid_to >= holding.valid_to


def _version(record: Record, store: Store, which: str, at: datetime | None) -> Record | None:
    """The first other version on a fact's time line that holds at some time and meets ``which``, a
    constant condition on ``:at`` (None is the end of time) and an order."""
    found = store.records(
        f"{_ON_ITS_LINE} AND {which} LIMIT 1",
        subject=subject_key(record.subject), attribute=record.attribute, id=int(record.id),
        key=store.fact_key(record), at="~" if at is None else format_instant(at),
    )  # fmt: skip
    return found[0] if found else None
