"""Statistics of a store for its operator: facts, episodes, pending facts, what falls due."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, time, timedelta
from statistics import median
from typing import Any

from text2mem.adapters.census import Due, FactCount
from text2mem.ir.record import jsonable
from text2mem.ir.registry import Registry
from text2mem.ir.times.temporal import format_instant
from text2mem.ledger.episode import EPISODE
from text2mem.ledger.ledger import Ledger

DAYS = 7
"""How many days the counts of superseded facts cover, today included."""
_NO_CLASS = "none"
_STATES = ("current", "past", "ahead", "pending", "deleted")


def stats(ledger: Ledger, queue: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Counts of what the actor may read, by days of the caller's zone. ``queue`` is added."""
    ledger = ledger.still()
    now, tz = ledger.now(), ledger.context.tz
    first = now.astimezone(tz).date() - timedelta(days=DAYS - 1)
    since = datetime.combine(first, time(), tz)
    census = ledger.settled(
        lambda: ledger.adapter.census(ledger.context, now, since=since, episode=EPISODE)
    )
    days = Counter(at.astimezone(tz).date() for at in census.superseded)
    episodes = census.episodes
    return {
        "at": format_instant(now),
        "tenant": ledger.context.tenant,
        "registry_version": ledger.registry.version,
        "facts": {
            "total": _totals(census.facts),
            "by_type": _grouped(census.facts, lambda count: count.type or _NO_CLASS),
            "by_attribute": _grouped(census.facts, lambda count: count.attribute),
        },
        "episodes": {
            "total": sum(row.count for row in episodes),
            "by_role": {row.role or _NO_CLASS: row.count for row in episodes},
            "oldest": jsonable(min((row.oldest for row in episodes), default=None)),
            "newest": jsonable(max((row.newest for row in episodes), default=None)),
        },
        "memories": {name or _NO_CLASS: count for name, count in census.others.items()},
        "deleted": census.deleted,
        "superseded": {
            day.isoformat(): days[day] for day in (first + timedelta(days=n) for n in range(DAYS))
        },
        "pending": _ages(census.pending, now),
        "retention": _retention(census.due, ledger.registry),
        "queue": None if queue is None else dict(queue),
        "bytes": census.size,
    }


def _totals(counts: Sequence[FactCount]) -> dict[str, int]:
    return {state: sum(getattr(count, state) for count in counts) for state in _STATES}


def _grouped(
    counts: Sequence[FactCount], key: Callable[[FactCount], str]
) -> dict[str, dict[str, int]]:
    groups: dict[str, list[FactCount]] = defaultdict(list)
    for count in counts:
        groups[key(count)].append(count)
    return {name: _totals(groups[name]) for name in sorted(groups)}


def _ages(since: Sequence[datetime], now: datetime) -> dict[str, Any]:
    """How many facts are pending, and their greatest and median age in seconds."""
    ages = [int((now - at).total_seconds()) for at in since]
    return {
        "count": len(ages),
        "oldest_seconds": max(ages, default=None),
        "median_seconds": int(median(ages)) if ages else None,
    }


def _retention(due: Sequence[Due], registry: Registry) -> list[dict[str, Any]]:
    """How many memories expire, by retention class and action; the class due next comes first."""
    classes: dict[tuple[str, str], tuple[int, datetime]] = {}
    for row in due:
        attribute = None if row.attribute is None else registry.attribute(row.attribute)
        retention = registry.retention(row.policy, attribute, row.type)
        key = retention.name if retention else row.policy or _NO_CLASS, row.action
        count, earliest = classes.get(key, (0, row.next))
        classes[key] = count + row.count, min(earliest, row.next)
    order = sorted(classes.items(), key=lambda pair: (pair[1][1], pair[0]))
    return [
        {"class": name, "on_expire": action, "count": count, "next": format_instant(earliest)}
        for (name, action), (count, earliest) in order
    ]
