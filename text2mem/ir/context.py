"""The execution context: what a program may do, from its caller and never from its text."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, tzinfo

from text2mem.clock import SystemClock
from text2mem.errors import ConfigurationError
from text2mem.ir.ports import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionContext:
    """Holds for a whole program.

    ``actor`` None is the local user of a single-user store, who holds every role;
    ``require_actor`` refuses that. Two roles have a meaning of their own: ``team`` reads memories
    of level team, ``maintainer`` writes those of level maintainer.
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

    def __post_init__(self) -> None:
        if self.require_actor and self.actor is None:
            raise ConfigurationError(
                "this store requires an actor and the call names none",
                hint="set actor= in the ExecutionContext, or --actor",
            )

    @property
    def is_local_user(self) -> bool:
        """Whether the caller is the local user, who holds every role."""
        return self.actor is None

    def dry(self) -> ExecutionContext:
        """The same context, for a run that leaves no trace."""
        return replace(self, dry_run=True)
