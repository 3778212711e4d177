"""What a dry run was shown on, so that the run after it does the same or is refused."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from text2mem.adapters.base import Adapter, Env
from text2mem.errors import ConfigurationError, ExecutionError
from text2mem.ir.context import ExecutionContext
from text2mem.ir.temporal import format_instant

_FORM = re.compile(r"(\d+)\.(\d+)@(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)")


@dataclass(frozen=True, slots=True)
class Basis:
    """The tenant's last journal entry, its registry's version, and the instant of the dry run."""

    mark: int
    registry: int
    now: datetime

    def __str__(self) -> str:
        return f"{self.mark}.{self.registry}@{format_instant(self.now)}"

    @classmethod
    def read(cls, text: str) -> Basis:
        """A basis as it is printed. Raises ConfigurationError."""
        found = _FORM.fullmatch(text)
        if found is None:
            raise ConfigurationError(
                f"'{text}' is no basis", hint="give the `basis` of a dry run's result as it stands"
            )
        now = datetime.fromisoformat(found[3]).astimezone(UTC)
        return cls(int(found[1]), int(found[2]), now)

    @classmethod
    def take(cls, adapter: Adapter, env: Env) -> Basis:
        """The basis of a dry run that is under way."""
        return cls(adapter.mark(env.context), adapter.registry().version, env.now)

    def check(self, adapter: Adapter, context: ExecutionContext) -> None:
        """Raises ExecutionError "store-moved" where the run could not do what was shown."""
        present = adapter.mark(context), adapter.registry().version
        now = context.clock.now()
        if present != (self.mark, self.registry):
            why = "the store has changed since the dry run"
        elif now < self.now:
            why = "the dry run lies in the future"
        elif adapter.falls_due(context, self.now, now):
            why = "a memory has fallen due since the dry run"
        else:
            return
        raise ExecutionError("store-moved", why, hint="look at a new dry run, then run that")
