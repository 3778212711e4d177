"""The basis of a dry run: the state of the store that it ran on. A run that is given it has the
effect that the dry run showed, or is refused."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256

from text2mem.adapters.base import Adapter, Env
from text2mem.errors import ConfigurationError, ExecutionError
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import Op
from text2mem.ir.times.temporal import format_instant

_FORM = re.compile(r"(\d{1,18})\.(\d{1,18})\.([0-9a-f]{16})@(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)")


@dataclass(frozen=True, slots=True)
class Basis:
    """The program, its caller, the state of the store and the instant of a dry run."""

    mark: int
    """The adapter's ``mark``. It grows with every change of the tenant's memories or vectors."""
    registry: int
    """The version of the tenant's registry."""
    whose: str
    """A digest of the program, its caller and the zone."""
    now: datetime
    """The instant of the dry run."""

    def __str__(self) -> str:
        return f"{self.mark}.{self.registry}.{self.whose}@{format_instant(self.now)}"

    @classmethod
    def read(cls, text: str | None) -> Basis | None:
        """Parse the text form of a basis (``str``); None for none. Raise ConfigurationError for any
        other text."""
        if text is None:
            return None
        match = _FORM.fullmatch(str(text))
        if match is None:
            hint = "give the `basis` of a dry run's result as it stands"
            raise ConfigurationError(f"'{text}' is no basis", hint=hint)
        try:
            now = datetime.fromisoformat(match[4]).astimezone(UTC)
        except ValueError as error:
            raise ConfigurationError(f"'{text}' is no basis: {error}") from error
        return cls(int(match[1]), int(match[2]), match[3], now)

    @classmethod
    def take(cls, ops: Sequence[Op], adapter: Adapter, env: Env) -> Basis:
        """The basis of the dry run whose transaction is open."""
        whose = _digest(ops, env.context)
        return cls(adapter.mark(env.context), adapter.registry().version, whose, env.now)

    def check(self, ops: Sequence[Op], adapter: Adapter, context: ExecutionContext) -> None:
        """Raise ExecutionError if a run could have another effect than the dry run showed:
        "other-program" for another program, caller or time zone, "store-moved" if the store or the
        registry has changed, a memory has fallen due, or the clock is earlier."""
        if _digest(ops, context) != self.whose:
            why = "the basis is that of another program, caller or time zone"
            raise ExecutionError("other-program", why, hint="look at a dry run of this one")
        now = context.clock.now()
        if (adapter.mark(context), adapter.registry().version) != (self.mark, self.registry):
            why = "the store has changed since the dry run"
        elif now < self.now:
            why = "the dry run lies in the future"
        elif adapter.falls_due(context, self.now, now):
            why = "a memory has fallen due since the dry run"
        else:
            return
        raise ExecutionError("store-moved", why, hint="look at a new dry run, then run that")


def _digest(ops: Sequence[Op], context: ExecutionContext) -> str:
    caller = context.tenant, context.actor, sorted(context.roles), str(context.tz)
    return sha256(repr((caller, tuple(ops))).encode()).hexdigest()[:16]
