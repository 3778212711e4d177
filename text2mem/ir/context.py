"""The execution context: what the caller lets a program do. A program's text cannot change it."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo

from text2mem.clock import FixedClock, SystemClock
from text2mem.errors import ConfigurationError
from text2mem.ir.arguments import as_kind
from text2mem.ir.ports import Clock

SUFFIX = "::experience"
"""The end of the name of a bank's tenant, behind the name of the tenant that it belongs to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionContext:
    """Who runs a program, when, and what it may do. Raises ConfigurationError for bad values."""

    tenant: str = "default"
    """Whose memories the program works on."""
    actor: str | None = None
    """Who runs it. None is the local user, who may read and write every memory of the store."""
    roles: frozenset[str] = frozenset()
    """The actor's roles. With ``team`` it reads memories of level team, with ``maintainer`` it
    writes those of level maintainer; other roles have no meaning here."""
    clock: Clock = field(default_factory=SystemClock)
    tz: tzinfo = UTC
    """The zone of times without an offset."""
    confirmed: bool = False
    """Whether wide writes are allowed."""
    dry_run: bool = False
    trace_id: str | None = None
    """The trace of the program; None for a fresh one."""
    require_actor: bool = False
    """Whether a context without an actor is refused."""
    trust_meta: bool = False
    """Whether ``confirmation`` in the ``meta`` of a program counts."""
    said: str | None = None
    """The request that the program was made from, for the journal."""
    of_bank: bool = field(default=False, repr=False)
    """Whether the context is for a bank of experience, whose tenant is refused otherwise."""
    random_hex: Callable[[int], str] = field(default=secrets.token_hex, repr=False, compare=False)
    """Returns so many random bytes as hexadecimal digits, for fresh traces. Replays and tests pass
    a seeded one."""

    def __post_init__(self) -> None:
        given: tuple[object, object, object] = (self.tenant, self.actor, self.roles)
        tenant, actor, roles = given
        if not (isinstance(tenant, str) and isinstance(actor, str | None)) or isinstance(
            roles, str
        ):
            why = f"tenant {tenant!r}, actor {actor!r}, roles {roles!r}"
            hint = 'tenant and actor are names, the roles a set: frozenset({"team"})'
            raise ConfigurationError(why, hint=hint)
        if actor == "":
            why = "an actor without a name is nobody"
            raise ConfigurationError(why, hint="name one, or leave the actor out: the local user")
        as_kind(self.tz, tzinfo, "time zone", 'give a tzinfo, as ZoneInfo("Europe/Oslo")')
        # A datetime has a ``now``, too, which is the wall clock's.
        given_clock: object = self.clock
        if isinstance(given_clock, datetime | type) or not callable(
            getattr(given_clock, "now", None)
        ):
            hint = "give an object with now(): FixedClock(instant) always says the same"
            raise ConfigurationError(f"{given_clock!r:.80} is no clock", hint=hint)
        if self.require_actor and self.actor is None:
            why = "this store requires an actor and the call names none"
            hint = "set actor= in the ExecutionContext, or --actor"
            raise ConfigurationError(why, hint=hint)
        if self.tenant.endswith(SUFFIX) and not self.of_bank:
            why = f"the tenant '{self.tenant}' holds somebody's experience"
            hint = "name whose memories it stands beside; text2mem experience shows it"
            raise ConfigurationError(why, hint=hint)

    @property
    def is_local_user(self) -> bool:
        """Whether the caller is the local user."""
        return self.actor is None

    def require_local(self, otherwise: str) -> None:
        """Raise ConfigurationError with this message, unless the caller is the local user."""
        if not self.is_local_user:
            raise ConfigurationError(otherwise, hint="leave the actor out: the local user may")

    def trace(self) -> str:
        """The trace id of a program: the caller's, else a fresh one at each call, which begins with
        the clock's milliseconds since 1970, so that traces sort by time."""
        milliseconds = max(0, int(self.clock.now().timestamp() * 1000))
        return self.trace_id or f"{milliseconds:012x}{self.random_hex(10)}"

    def of_everyone(self) -> ExecutionContext:
        """The local user's context in place of the actor's, for checks that concern all owners."""
        return replace(self, actor=None, require_actor=False)

    def of_its_bank(self) -> ExecutionContext:
        """The local user's context for the tenant's bank, with wide writes confirmed."""
        return replace(
            self.of_everyone(), tenant=f"{self.tenant}{SUFFIX}", of_bank=True, confirmed=True,
            dry_run=False, trace_id=None, said=None,
        )  # fmt: skip

    def dry(self) -> ExecutionContext:
        return replace(self, dry_run=True)

    def still(self) -> ExecutionContext:
        """The context with its clock stopped at now, for all steps of one call."""
        return replace(self, clock=FixedClock(self.clock.now()))
