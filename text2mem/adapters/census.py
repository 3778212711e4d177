"""Counts and ages of a tenant's memories, for the operator of a store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class FactCount:
    """The number of versions of facts with one type and attribute, by state."""

    type: str | None
    attribute: str
    current: int = 0
    """Versions that hold now."""
    past: int = 0
    """Versions that are over or were corrected: all that no other state counts."""
    ahead: int = 0
    """Versions that begin in the future."""
    pending: int = 0
    """Facts below the confidence floor."""
    deleted: int = 0
    """Deleted versions, which no other state counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeCount:
    """The number of episodes with one role that are not deleted, and their range of times."""

    role: str | None
    count: int
    oldest: datetime
    newest: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """The number of memories that have an expiry and are not deleted, for one retention. The
    registry finds a memory's retention class from ``policy``, ``attribute`` and ``type``."""

    policy: str | None
    attribute: str | None
    type: str | None
    action: str
    """What the expiry does, such as ``soft_delete``."""
    count: int
    next: datetime
    """The earliest of these expiries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Census:
    """Counts of the memories that an actor may read of a tenant."""

    at: datetime
    """The instant of the count."""
    facts: tuple[FactCount, ...] = ()
    episodes: tuple[EpisodeCount, ...] = ()
    others: Mapping[str | None, int] = field(default_factory=dict)
    """The number of memories that are neither facts nor episodes and not deleted, by type."""
    deleted: int = 0
    """The number of all deleted memories."""
    superseded: tuple[datetime, ...] = ()
    """When versions were made that supersede another one, from a given instant on."""
    pending: tuple[datetime, ...] = ()
    """When the pending facts were encoded."""
    due: tuple[Due, ...] = ()
    size: int | None = None
    """The size of the store in bytes, with its write-ahead log; None if unknown."""
