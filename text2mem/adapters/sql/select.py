"""Targets as SQL: constant fragments and bound parameters. No value of a program becomes part of a
statement. In the fragments, ``m`` is the table ``memories``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from text2mem.adapters.base import Scope, by_ends
from text2mem.adapters.sql.codec import sorted_json, subject_key
from text2mem.adapters.sql.expiring import UNDUE, any_due
from text2mem.adapters.sql.store import Store
from text2mem.ir.ops import AbsoluteRange, ByFilter
from text2mem.ir.times.temporal import format_instant

_READABLE = """(
    m.owner = :actor
    OR (
        NOT {blacklisted}
        AND (
            {whitelisted}
            OR m.read_perm_level = 'public'
            OR (:team = 1 AND m.read_perm_level = 'team')
        )
    )
)"""
_ALL_TAGS = """NOT EXISTS (
    SELECT 1 FROM {wanted} WHERE NOT EXISTS (
        SELECT 1 FROM memory_tags
        WHERE tenant = :tenant AND tag = wanted.value AND hidden = t.hidden AND at = t.at
            AND pk = t.pk
    )
)"""
_ANY_TAG = """m.pk IN (
    SELECT pk FROM memory_tags
    WHERE tenant = :tenant AND {among}
)"""
_EACH_TAG = """m.pk IN (
    SELECT pk FROM memory_tags
    WHERE tenant = :tenant AND {among}
    GROUP BY pk HAVING count(*) = :tag_count
)"""
_NO_TAG = """NOT EXISTS (
    SELECT 1 FROM {unwanted} JOIN memory_tags AS t
    ON t.tenant = :tenant AND t.tag = unwanted.value AND t.hidden = m.hidden AND t.at = m.at
        AND t.pk = m.pk
)"""
_AS_OF = """CASE WHEN m.attribute IS NULL THEN m.created_at <= :as_of
    ELSE m.pending = 0 AND m.valid_from <= :as_of AND (m.valid_to IS NULL OR m.valid_to > :as_of)
    END"""
_KNOWN = """CASE WHEN m.attribute IS NULL THEN m.created_at <= :earlier
    ELSE EXISTS (
        SELECT 1 FROM beliefs AS b
        WHERE {same}b.pk = m.pk AND b.recorded_at <= :known_at
            AND (b.retracted_at IS NULL OR b.retracted_at > :known_at)
            AND b.pending = 0 AND b.deleted <= :deleted AND b.valid_from <= :as_of
            AND (b.valid_to IS NULL OR b.valid_to > :as_of)
    ) END"""
_CURRENT = """(m.attribute IS NULL OR (
    m.pending = 0 AND m.valid_from <= :now AND (m.valid_to IS NULL OR m.valid_to > :now)
))"""
_NOTED = "m.at BETWEEN :from_{n} AND :to_{n} OR m.created_at BETWEEN :from_{n} AND :to_{n}"
IN_SIGHT = "m.hidden = 0"
_AWAY = {"archived": "m.archived = 1 AND m.deleted = 0", "deleted": "m.deleted = 1"}
_LED_BY_TAG = "memory_tags AS t "
_AHEAD = """SELECT 1 FROM memories WHERE tenant = :tenant AND valid_to > :now
UNION ALL SELECT 1 FROM memories WHERE tenant = :tenant AND valid_from > :now LIMIT 1"""


@dataclass(slots=True)
class Where:
    """The conditions of a query under construction, and the tables that it reads."""

    clauses: list[str] = field(default_factory=list)
    parameters: dict[str, object] = field(default_factory=dict)
    source: str = "memories AS m"
    """The tables after FROM."""
    time: str = "m.at"
    """The column by which the rows are ordered first."""
    key: str = "m.id"
    """The column by which rows of the same time are ordered."""
    tenanted: bool = True
    """Whether the statement needs the condition on the tenant of ``m``."""

    def add(self, clause: str, **parameters: object) -> None:
        """Add a condition and its parameters."""
        self.clauses.append(clause)
        self.parameters.update(parameters)

    def also(self, *clauses: str, **parameters: object) -> Where:
        """A copy with more conditions and their parameters."""
        return replace(
            self, clauses=[*self.clauses, *clauses], parameters={**self.parameters, **parameters}
        )

    def on(self, source: str) -> Where:
        """A copy that reads other tables."""
        return replace(self.also(), source=source)

    @property
    def sql(self) -> str:
        """The clauses FROM and WHERE."""
        of_tenant = ["m.tenant = :tenant"] if self.tenanted else []
        return f"FROM {self.source} WHERE {' AND '.join([*of_tenant, *self.clauses])}"

    @property
    def all_in_sight(self) -> bool:
        """Whether the only condition is that a memory is not ``hidden``."""
        return self.clauses == [IN_SIGHT]

    @property
    def count(self) -> str:
        """A statement that counts the rows, by the index of tags alone if that is enough."""
        others = [clause for clause in self.clauses if clause != IN_SIGHT]
        if self.source.startswith(_LED_BY_TAG) and not any("m." in clause for clause in others):
            return f"SELECT count(*) FROM memory_tags AS t WHERE {' AND '.join(others)}"  # noqa: S608
        return f"SELECT count(*) {self.sql}"


def readable(where: Where, scope: Scope, store: Store) -> None:
    """Add the condition that the actor may read a memory (``rights.may_read`` for a record) and, if
    the scope excludes what is due, that it is not due."""
    if not scope.due and any_due(store, scope.now):
        where.add(UNDUE, due=format_instant(scope.now))
    context = scope.context
    if not context.is_local_user:
        clause = _READABLE.format(
            blacklisted=store.dialect.holds("m.read_blacklist", "actor"),
            whitelisted=store.dialect.holds("m.read_whitelist", "actor"),
        )
        where.add(clause, actor=context.actor, team=int("team" in context.roles))


def visible(where: Where, scope: Scope, store: Store) -> bool:
    """Add the conditions of a scope: rights, deletion, archive, validity, recording time. Returns
    whether, apart from the rights, these are exactly the rows not ``hidden``."""
    readable(where, scope, store)
    if scope.away is not None:
        where.add(_AWAY[scope.away])
        scope = replace(scope, archived=True, deleted=True)
    as_of = scope.as_of or scope.known_at
    if as_of is not None:
        if scope.known_at is None:
            where.add(_AS_OF, as_of=format_instant(as_of))
        else:
            where.add(
                _KNOWN.format(same=store.dialect.same("b", "m")),
                as_of=format_instant(as_of), known_at=format_instant(scope.known_at),
                earlier=format_instant(min(as_of, scope.known_at)), deleted=int(scope.deleted),
            )  # fmt: skip
    else:
        now = format_instant(scope.now)
        # The column ``hidden`` is wrong for versions that begin or end in the future.
        if not scope.archived and not scope.deleted and store.scalar(_AHEAD, now=now) is None:
            where.add(IN_SIGHT)
            return True
        where.add(_CURRENT, now=now)
    if not scope.deleted:
        where.add("m.deleted = 0")
    if not scope.archived:
        where.add("m.archived = 0")
    return False


def tagged(where: Where, scope: Scope, store: Store) -> None:
    """Add the condition that a hit of a search has the tags of the scope."""
    if scope.tags:
        tags = dict.fromkeys(scope.tags)
        each_tag = _EACH_TAG.format(among=store.dialect.among("tag", "tags"))
        where.add(each_tag, tags=store.dialect.array([*tags]), tag_count=len(tags))


def filtered(target: ByFilter, scope: Scope, store: Store) -> list[Where]:
    """The conditions of a filter within a scope, as one or two queries whose union is the result:
    for rows not ``hidden``, and for hidden ones. Each can be read in the order of an index."""
    scope = replace(
        scope, archived=scope.archived or "archived" in target.include,
        deleted=scope.deleted or "deleted" in target.include,
    )  # fmt: skip
    parts = _parts(scope, store)
    tags = target.has_tags if target.match == "all" else ()
    lead = None
    if tags:
        # The query reads the index of the rarest tag, which is in the order of the result.
        counts = [store.tagged(tag) for tag in tags] if len(tags) > 1 else [0]
        lead = tags[counts.index(min(counts))]
    for hidden, where in enumerate(parts):
        if lead is not None:
            same = store.dialect.same("m", "t")
            where.source = f"{_LED_BY_TAG}{store.dialect.join} memories AS m ON {same}m.pk = t.pk"
            where.time, where.key = "t.at", "t.pk"
            where.add("t.tenant = :tenant AND t.tag = :tag", tag=lead)
            where.add(f"t.hidden = {hidden}")
        if len(tags) > 1:
            all_tags = _ALL_TAGS.format(wanted=store.dialect.each("tags", "wanted"))
            where.add(all_tags, tags=store.dialect.array([tag for tag in tags if tag != lead]))
        _add_conditions(where, target, scope, store)
        if scope.noted is not None:
            where.time = where.key = "m.id"  # ids are given in the order of creation
    return parts


def _parts(scope: Scope, store: Store) -> list[Where]:
    """The conditions of a scope: for rows not ``hidden`` and, if it may include any, for others."""
    everything, in_sight = Where(), Where()
    if visible(everything, scope, store):
        return [everything]
    if not visible(in_sight, replace(scope, archived=False, deleted=False), store):
        in_sight = everything.also(IN_SIGHT)
    return [in_sight, everything.also("m.hidden = 1")]


def _add_conditions(where: Where, target: ByFilter, scope: Scope, store: Store) -> None:
    """Add the conditions of a filter, except that all tags must match."""
    named, span = target.attribute, AbsoluteRange()
    if target.time_range is not None:
        span = by_ends(target.time_range, scope.context, scope.now)
    compared: Sequence[tuple[str, str, object]] = (
        ("m.attribute =", "attribute", named and store.registry.attribute(named).name),
        ("m.subject_key =", "subject", subject_key(target.subject)),
        ("m.type =", "type", target.type),
        ("m.location =", "location", target.location),
        ("m.topic =", "topic", target.topic),
        ("m.weight >=", "weight_gte", target.weight_gte),
        ("m.weight <=", "weight_lte", target.weight_lte),
        (f"{where.time} >=", "start", span.start),
        (f"{where.time} <=", "end", span.end),
        ("m.expire_at <", "expire_before", target.expire_before),
        ("m.expire_at >", "expire_after", target.expire_after),
    )
    for comparison, name, value in compared:
        if value is not None:
            bound = format_instant(value) if isinstance(value, datetime) else value
            where.add(f"{comparison} :{name}", **{name: bound})
    if target.has_tags and target.match == "any":
        any_tag = _ANY_TAG.format(among=store.dialect.among("tag", "has_tags"))
        where.add(any_tag, has_tags=store.dialect.array(target.has_tags))
    if target.not_tags:
        no_tag = _NO_TAG.format(unwanted=store.dialect.each("not_tags", "unwanted"))
        where.add(no_tag, not_tags=store.dialect.array(target.not_tags))
    if target.facets:
        wanted = sorted_json(dict(target.facets))
        where.add(store.dialect.facets, facets=wanted, facet_count=len(target.facets))
    if scope.noted:
        bounds: dict[str, object] = {}
        for n, noted in enumerate(scope.noted):
            start, end = format_instant(noted.start), format_instant(noted.end)
            bounds |= {f"from_{n}": start, f"to_{n}": end}
        noted_in = " OR ".join(_NOTED.format(n=n) for n in range(len(scope.noted)))
        where.add(f"({noted_in})", **bounds)
