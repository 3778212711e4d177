"""Targets as SQL: constant fragments and bound parameters.

No value of a program ever becomes a part of a statement. The fragments speak of the table
``memories`` as ``m``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from text2mem.adapters.base import Scope
from text2mem.adapters.sqlite.codec import sorted_json, to_json
from text2mem.ir.ops import AbsoluteRange, ByFilter
from text2mem.ir.temporal import format_instant, relative_range

Fragment = tuple[str, dict[str, object]]

_READABLE = """(
    m.owner = :actor
    OR (
        NOT EXISTS (SELECT 1 FROM json_each(m.read_blacklist) WHERE value = :actor)
        AND (
            EXISTS (SELECT 1 FROM json_each(m.read_whitelist) WHERE value = :actor)
            OR m.read_perm_level = 'public'
            OR (:team AND m.read_perm_level = 'team')
        )
    )
)"""
_ALL_TAGS = """m.pk IN (
    SELECT pk FROM memory_tags
    WHERE tenant = :tenant AND tag IN (SELECT value FROM json_each(:has_tags))
    GROUP BY pk HAVING count(*) = :has_count
)"""
_ANY_TAG = """m.pk IN (
    SELECT pk FROM memory_tags
    WHERE tenant = :tenant AND tag IN (SELECT value FROM json_each(:has_tags))
)"""
_NO_TAG = """m.pk NOT IN (
    SELECT pk FROM memory_tags
    WHERE tenant = :tenant AND tag IN (SELECT value FROM json_each(:not_tags))
)"""
_FACETS = """(
    SELECT count(*) FROM json_each(:facets) AS wanted
    JOIN json_each(m.facets) AS held
        ON held.key = wanted.key AND held.type = wanted.type AND held.value IS wanted.value
) = :facet_count"""
_AS_OF = """CASE WHEN m.attribute IS NULL THEN m.created_at <= :as_of
    ELSE m.valid_from <= :as_of AND (m.valid_to IS NULL OR m.valid_to > :as_of) END"""
_CURRENT = "(m.attribute IS NULL OR m.valid_to IS NULL OR m.valid_to > :now)"


@dataclass(slots=True)
class Where:
    """A conjunction under construction."""

    clauses: list[str] = field(default_factory=list)
    parameters: dict[str, object] = field(default_factory=dict)

    def add(self, clause: str, **parameters: object) -> None:
        """One more condition with what it binds."""
        self.clauses.append(clause)
        self.parameters.update(parameters)

    @property
    def sql(self) -> str:
        """The conjunction; it always has the tenant's condition."""
        return " AND ".join(["m.tenant = :tenant", *self.clauses])


def readable(where: Where, scope: Scope) -> None:
    """What the actor may read (``rights.may_read`` says the same of one record)."""
    context = scope.context
    if not context.is_local_user:
        where.add(_READABLE, actor=context.actor, team=int("team" in context.roles))


def visible(where: Where, scope: Scope, *, archived: bool = False, deleted: bool = False) -> None:
    """What the scope lets be seen: rights, deletion, archive, validity, recording time."""
    readable(where, scope)
    if not (scope.deleted or deleted):
        where.add("m.deleted = 0")
    if not (scope.archived or archived):
        where.add("m.archived = 0")
    if scope.as_of is not None:
        where.add(_AS_OF, as_of=format_instant(scope.as_of))
    if scope.known_at is not None:
        where.add("m.created_at <= :known_at", known_at=format_instant(scope.known_at))
    if scope.as_of is None and scope.known_at is None:
        where.add(_CURRENT, now=format_instant(scope.now))


def filtered(target: ByFilter, scope: Scope) -> Where:
    """A filter's conditions, the scope's included."""
    where = Where()
    visible(
        where, scope, archived="archived" in target.include, deleted="deleted" in target.include
    )
    for clause, parameters in _conditions(target, scope):
        where.add(clause, **parameters)
    return where


def _conditions(target: ByFilter, scope: Scope) -> Iterator[Fragment]:
    if target.has_tags:
        yield (
            _ALL_TAGS if target.match == "all" else _ANY_TAG,
            {"has_tags": to_json(list(target.has_tags)), "has_count": len(target.has_tags)},
        )
    if target.not_tags:
        yield _NO_TAG, {"not_tags": to_json(list(target.not_tags))}
    for clause, name in (
        ("m.type = :type", "type"),
        ("m.subject = :subject", "subject"),
        ("m.location = :location", "location"),
        ("m.topic = :topic", "topic"),
        ("m.attribute = :attribute", "attribute"),
        ("m.weight >= :weight_gte", "weight_gte"),
        ("m.weight <= :weight_lte", "weight_lte"),
    ):
        value = getattr(target, name)
        if value is not None:
            yield clause, {name: value}
    if target.facets:
        yield (
            _FACETS,
            {"facets": sorted_json(dict(target.facets)), "facet_count": len(target.facets)},
        )
    yield from _times(target, scope)


def _times(target: ByFilter, scope: Scope) -> Iterator[Fragment]:
    span = target.time_range
    if span is not None:
        if not isinstance(span, AbsoluteRange):
            found = relative_range(
                span.direction, span.amount, span.unit, now=scope.now, tz=scope.context.tz
            )
            span = AbsoluteRange(found.start, found.end)
        if span.start is not None:
            yield "m.at >= :start", {"start": format_instant(span.start)}
        if span.end is not None:
            yield "m.at <= :end", {"end": format_instant(span.end)}
    if target.expire_before is not None:
        yield (
            "m.expire_at < :expire_before",
            {"expire_before": format_instant(target.expire_before)},
        )
    if target.expire_after is not None:
        yield "m.expire_at > :expire_after", {"expire_after": format_instant(target.expire_after)}
