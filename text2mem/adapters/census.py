"""Counts and ages of what a tenant holds, for whoever runs a store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class FactCount:
    """How many versions of the facts of one type and attribute there are, deleted ones apart.

    ``current`` hold now, ``ahead`` are yet to begin, ``pending`` wait to be sure enough, ``past``
    are all others: over, or corrected.
    """

    type: str | None
    attribute: str
    current: int = 0
    past: int = 0
    ahead: int = 0
    pending: int = 0
    deleted: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeCount:
    """Episodes of one role, deleted ones apart."""

    role: str | None
    count: int
    oldest: datetime
    newest: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """Memories, not deleted, with an end, by what the registry finds their class by."""

    policy: str | None
    attribute: str | None
    type: str | None
    action: str
    count: int
    next: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Census:
    """What an actor may read of a tenant, counted at ``at``.

    ``others`` counts memories that are neither facts nor episodes, by type. ``superseded`` are the
    instants, since a given one, at which a version took the place of another. ``pending`` are the
    instants of encoding of what waits. ``size`` is of the file and its log, in bytes.
    """

    at: datetime
    facts: tuple[FactCount, ...] = ()
    episodes: tuple[EpisodeCount, ...] = ()
    others: Mapping[str | None, int] = field(default_factory=dict)
    deleted: int = 0
    superseded: tuple[datetime, ...] = ()
    pending: tuple[datetime, ...] = ()
    due: tuple[Due, ...] = ()
    size: int | None = None
