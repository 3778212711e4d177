"""Clocks. Nothing else in the package reads the wall clock."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from text2mem.errors import ConfigurationError


class SystemClock:
    """The machine's clock, in UTC."""

    def now(self) -> datetime:
        """The current instant."""
        return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class FixedClock:
    """A clock that stands still, for tests, replays and ``--now``."""

    instant: datetime

    def __post_init__(self) -> None:
        if getattr(self.instant, "tzinfo", None) is None:
            raise ConfigurationError(
                f"{self.instant!s:.80} has no time zone", hint="FixedClock takes an aware datetime"
            )

    def now(self) -> datetime:
        """Always the same instant, in UTC."""
        return self.instant.astimezone(UTC)


@dataclass(slots=True)
class SetClock:
    """A clock that stands still until it is set to another instant, for simulations and tests."""

    at: datetime

    def now(self) -> datetime:
        """The instant that it was last set to."""
        return self.at
