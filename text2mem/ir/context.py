"""The execution context: what a program may do, from its caller and never from its text."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, tzinfo
from types import NoneType

from text2mem.clock import FixedClock, SystemClock
from text2mem.errors import ConfigurationError
from text2mem.ir.ports import Clock
from text2mem.ir.record import as_kind

SUFFIX = "::experience"
"""What the tenant of a bank of experience is called after that of whose episodes it holds."""


def _kind(given: object) -> type:
    return str if isinstance(given, str) else type(given)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionContext:
    """Holds for a whole program.

    ``actor`` None is the local user of a single-user store, who holds every role;
    ``require_actor`` refuses that. Two roles have a meaning of their own: ``team`` reads memories
    of level team, ``maintainer`` writes those of level maintainer. ``said`` are the words that a
    program was made of, for the journal. ``random_hex`` gives so many random bytes, in hexadecimal
    digits, for the traces: replays and tests give a seeded one. ``of_bank`` is for a bank of
    experience, whose tenant no other program names.
    """

    tenant: str = "default"
    actor: str | None = None
    roles: frozenset[str] = frozenset()
    clock: Clock = field(default_factory=SystemClock)
    tz: tzinfo = UTC
    confirmed: bool = False
    dry_run: bool = False
    trace_id: str | None = None
    require_actor: bool = False
    trust_meta: bool = False
    said: str | None = None
    of_bank: bool = field(default=False, repr=False)
    random_hex: Callable[[int], str] = field(default=secrets.token_hex, repr=False, compare=False)

    def __post_init__(self) -> None:
        tenant, actor, roles = map(_kind, (self.tenant, self.actor, self.roles))
        if tenant is not str or actor not in (str, NoneType) or roles is str:
            raise ConfigurationError(
                f"tenant {self.tenant!r}, actor {self.actor!r}, roles {self.roles!r}",
                hint='tenant and actor are names, the roles a set: frozenset({"team"})',
            )
        as_kind(self.tz, tzinfo, "time zone", 'give a tzinfo, as ZoneInfo("Europe/Oslo")')
        if not callable(getattr(self.clock, "now", None)):
            raise ConfigurationError(f"{self.clock!r:.80} is no clock", hint="a clock has now()")
        if self.require_actor and self.actor is None:
            raise ConfigurationError(
                "this store requires an actor and the call names none",
                hint="set actor= in the ExecutionContext, or --actor",
            )
        if self.tenant.endswith(SUFFIX) and not self.of_bank:
            raise ConfigurationError(
                f"the tenant '{self.tenant}' holds somebody's experience",
                hint="name whose memories it stands beside; text2mem experience shows it",
            )

    @property
    def is_local_user(self) -> bool:
        """Whether the caller is the local user, who holds every role."""
        return self.actor is None

    def require_local(self, otherwise: str) -> None:
        """Raises ConfigurationError for an actor; ``otherwise`` says what that may not do."""
        if not self.is_local_user:
            raise ConfigurationError(otherwise, hint="leave the actor out: the local user may")

    def trace(self) -> str:
        """The trace of a program: the caller's, else a fresh one.

        Fresh ones begin with the milliseconds of the clock, so that they sort by time from 1970 on.
        """
        milliseconds = max(0, int(self.clock.now().timestamp() * 1000))
        return self.trace_id or f"{milliseconds:012x}{self.random_hex(10)}"

    def of_its_bank(self) -> ExecutionContext:
        """The context of the bank of experience beside the tenant, of every actor's episodes."""
        return replace(
            self, tenant=f"{self.tenant}{SUFFIX}", of_bank=True, actor=None, require_actor=False,
            confirmed=True, dry_run=False, trace_id=None, said=None,
        )  # fmt: skip

    def dry(self) -> ExecutionContext:
        """The same context, for a run that leaves no trace."""
        return replace(self, dry_run=True)

    def still(self) -> ExecutionContext:
        """The same context at this instant, for a call of several steps: it is taken once."""
        return replace(self, clock=FixedClock(self.clock.now()))
