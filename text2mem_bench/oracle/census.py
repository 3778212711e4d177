"""The memory adapter's look at everything: all versions of a name, and counts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from text2mem.adapters.census import Census, Due, EpisodeCount, FactCount
from text2mem.ir.context import ExecutionContext
from text2mem.ir.record import Record
from text2mem.ir.rights import may_read
from text2mem.ir.words.naming import name_key
from text2mem_bench.oracle.facts import holds_ever
from text2mem_bench.oracle.state import State


def records(
    state: State,
    context: ExecutionContext,
    now: datetime,
    *,
    subject: str | None = None,
    attribute: str | None = None,
    value: str | None = None,
    listed: tuple[str, str] | None = None,
    over: bool = False,
    episodes: Sequence[str] | None = None,
    pending: bool = False,
    reminds: bool = False,
) -> list[Record]:
    """Memories in whatever state that meet every condition, in id order."""
    named = None if attribute is None else state.registry.attribute(attribute).name
    return [
        record
        for record in state.in_order()
        if may_read(record, context)
        and (subject is None or _is(record.subject, subject))
        and (named is None or record.attribute == named)
        and (value is None or (record.is_fact and _is(record.value, value)))
        and (listed is None or _holds(record.facets.get(listed[0]), listed[1]))
        and (not over or (record.valid_to is not None and record.valid_to <= now))
        and (episodes is None or (record.is_fact and _heard(record, episodes)))
        and (not pending or (record.pending and not record.deleted))
        and (not reminds or (_reminds(record, now) and not record.deleted))
    ]


def _is(held: Any, name: str) -> bool:
    return isinstance(held, str) and name_key(held) == name_key(name)


def _holds(facet: Any, entry: str) -> bool:
    return entry in facet if isinstance(facet, list) else facet == entry


def _heard(record: Record, episodes: Sequence[str]) -> bool:
    return any(entry["episode"] in episodes for entry in record.sources)


def _reminds(record: Record, now: datetime) -> bool:
    return record.remind_next is not None and record.remind_next <= now


def take_census(
    state: State, context: ExecutionContext, now: datetime, since: datetime, episode: str
) -> Census:
    """See ``Adapter.census``."""
    seen = [record for record in state.in_order() if may_read(record, context)]
    alive = [record for record in seen if not record.deleted]
    facts = [record for record in seen if record.is_fact]
    told = [r for r in alive if not r.is_fact and r.type == episode]
    others = Counter(r.type for r in alive if not r.is_fact and r.type != episode)
    started = [r.created_at for r in facts if r.supersedes is not None]
    return Census(
        at=now,
        facts=_facts(facts, now),
        episodes=_episodes(told),
        others={name: others[name] for name in sorted(others, key=_named)},
        deleted=len(seen) - len(alive),
        superseded=tuple(sorted(at for at in started if since <= at <= now)),
        pending=tuple(sorted(r.created_at for r in alive if r.is_fact and r.pending)),
        due=_due(alive),
    )


def _named(name: str | None) -> tuple[bool, str]:
    """Names in order, what has none first."""
    return name is not None, name or ""


def _facts(facts: Sequence[Record], now: datetime) -> tuple[FactCount, ...]:
    counts: dict[tuple[str | None, str], Counter[str]] = defaultdict(Counter)
    for record in facts:
        assert record.attribute is not None
        counts[record.type, record.attribute][_state(record, now)] += 1
    order = sorted(counts, key=lambda key: (key[1], _named(key[0])))
    return tuple(
        FactCount(type=key[0], attribute=key[1], **dict(counts[key].items())) for key in order
    )


def _state(record: Record, now: datetime) -> str:
    if record.deleted:
        return "deleted"
    if record.pending:
        return "pending"
    if record.holds_at(now):
        return "current"
    begins = record.valid_from
    return "ahead" if begins is not None and begins > now and holds_ever(record) else "past"


def _episodes(told: Sequence[Record]) -> tuple[EpisodeCount, ...]:
    by_role: dict[str | None, list[datetime]] = defaultdict(list)
    for record in told:
        role = record.facets.get("role")
        by_role[role if isinstance(role, str) else None].append(record.when)
    return tuple(
        EpisodeCount(role=role, count=len(at), oldest=min(at), newest=max(at))
        for role, at in sorted(by_role.items(), key=lambda pair: _named(pair[0]))
    )


def _due(alive: Sequence[Record]) -> tuple[Due, ...]:
    ends: dict[tuple[str | None, str | None, str | None, str], list[datetime]] = defaultdict(list)
    for r in alive:
        if r.expire_at is not None:
            action = r.expire_action or "soft_delete"
            ends[r.retention_policy, r.attribute, r.type, action].append(r.expire_at)
    found = [
        Due(policy=key[0], attribute=key[1], type=key[2], action=key[3], count=len(at),
            next=min(at))
        for key, at in ends.items()
    ]  # fmt: skip
    return tuple(
        sorted(found, key=lambda d: (d.next, *map(_named, (d.policy, d.attribute, d.type)),
                                     d.action))
    )  # fmt: skip
