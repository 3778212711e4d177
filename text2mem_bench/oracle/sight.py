"""Which memories a target of the plain store sees, and as what: visibility and filters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from text2mem.adapters.base import Scope
from text2mem.ir.ops import ByFilter, Range, RelativeRange
from text2mem.ir.patch import same
from text2mem.ir.record import Record, due
from text2mem.ir.rights import may_read
from text2mem.ir.times.temporal import relative_range
from text2mem.ir.words.naming import name_key
from text2mem_bench.oracle.state import State


def named(record: Record, state: State, scope: Scope) -> Record | None:
    """A memory as a target that names its id sees it: archived or not, of any time, waiting too."""
    return _recorded(record, state, scope, deleted=scope.deleted)


def shown(
    record: Record, state: State, scope: Scope, *, archived: bool = False, deleted: bool = False
) -> Record | None:
    """A memory as every other target sees it, or None; the flags add to those of the scope."""
    if scope.away is not None:
        if not record.away or (scope.away == "deleted") != record.deleted:
            return None
        archived = deleted = True
    row = _recorded(record, state, scope, deleted=scope.deleted or deleted)
    if row is None or row.pending or (row.archived and not (scope.archived or archived)):
        return None
    return row if _holds(row, scope) else None


def _recorded(record: Record, state: State, scope: Scope, *, deleted: bool) -> Record | None:
    """A readable memory as it was recorded at ``known_at``, or as it is; None where it was not."""
    if not may_read(record, scope.context) or (record.deleted and not deleted):
        return None
    if not scope.due and due(record, scope.now):
        return None
    if scope.known_at is None:
        return record
    if not record.is_fact:
        return record if record.created_at <= scope.known_at else None
    belief = state.believed(record.id, scope.known_at)
    if belief is None or (belief.deleted and not deleted):
        return None
    return replace(
        record,
        value=belief.value,
        valid_from=belief.valid_from,
        valid_to=belief.valid_to,
        pending=record.pending or belief.pending,
    )


def _holds(row: Record, scope: Scope) -> bool:
    """Whether a memory is one of the instant that is asked for, else of the present."""
    if not row.is_fact:
        return scope.as_of is None or row.created_at <= scope.as_of
    return row.holds_at(scope.as_of or scope.known_at or scope.now)


def filtered(state: State, wanted: ByFilter, scope: Scope) -> list[Record]:
    """The memories in sight that meet every condition of a filter, in its order."""
    if wanted.attribute is not None:
        wanted = replace(wanted, attribute=state.registry.attribute(wanted.attribute).name)
    rows = [
        shown(
            record,
            state,
            scope,
            archived="archived" in wanted.include,
            deleted="deleted" in wanted.include,
        )
        for record in state.in_order()
    ]
    met = [row for row in rows if row is not None and _meets(row, wanted, scope)]
    if scope.noted is not None:
        return sorted(met, key=lambda row: int(row.id), reverse=wanted.order == "newest")
    return newest_first(met) if wanted.order == "newest" else oldest_first(met)


def _meets(row: Record, wanted: ByFilter, scope: Scope) -> bool:
    has = [tag in row.tags for tag in wanted.has_tags]
    conditions = [
        not has or (any(has) if wanted.match == "any" else all(has)),
        not any(tag in row.tags for tag in wanted.not_tags),
        wanted.type is None or row.type == wanted.type,
        wanted.subject is None or name_key(row.subject or "") == name_key(wanted.subject),
        wanted.location is None or row.location == wanted.location,
        wanted.topic is None or row.topic == wanted.topic,
        wanted.attribute is None or row.attribute == wanted.attribute,
        all(
            key in row.facets and same(row.facets[key], value)
            for key, value in wanted.facets.items()
        ),
        wanted.time_range is None or _within(row, wanted.time_range, scope),
        wanted.weight_gte is None or row.weight >= wanted.weight_gte,
        wanted.weight_lte is None or row.weight <= wanted.weight_lte,
        wanted.expire_before is None
        or (row.expire_at is not None and row.expire_at < wanted.expire_before),
        wanted.expire_after is None
        or (row.expire_at is not None and row.expire_at > wanted.expire_after),
        not scope.noted
        or any(each.start <= at <= each.end for each in scope.noted for at in _times(row)),
    ]
    return all(conditions)


def _times(row: Record) -> tuple[datetime, datetime]:
    return row.when, row.created_at


def _within(row: Record, span: Range, scope: Scope) -> bool:
    if isinstance(span, RelativeRange):
        resolved = relative_range(
            span.direction, span.amount, span.unit, now=scope.now, tz=scope.context.tz
        )
        return resolved.start <= row.when <= resolved.end
    return (span.start is None or span.start <= row.when) and (
        span.end is None or row.when <= span.end
    )


def newest_first(records: Sequence[Record]) -> list[Record]:
    """By time, then by id, both descending."""
    return oldest_first(records)[::-1]


def oldest_first(records: Sequence[Record]) -> list[Record]:
    """By time ascending, then by id ascending."""
    return sorted(records, key=lambda record: (record.when.timestamp(), int(record.id)))
