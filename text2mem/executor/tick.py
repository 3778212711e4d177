"""The tick: carry out expiries, fire reminders, finish erasures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from text2mem.adapters.base import Adapter, Effect, Env, Touched
from text2mem.adapters.transactions import transact
from text2mem.executor.executor import changes_of
from text2mem.executor.frame import due_warnings, finish_erasures, settle_due
from text2mem.executor.prepared import Prepared
from text2mem.ir.context import ExecutionContext
from text2mem.ir.journal import Trail
from text2mem.ir.record import AsJson, Record, as_row, due, jsonable, wakes
from text2mem.ir.result import Change
from text2mem.ir.rights import may_read
from text2mem.ir.times.rrule import UnreadableRule, next_occurrence, zone_of


@dataclass(frozen=True, slots=True)
class Fired:
    """A reminder that has fired."""

    memory: Mapping[str, Any]
    """The row of its memory."""
    due: datetime
    """The instant at which it was due."""
    following: datetime | None
    """Its next occurrence; None if there is none."""

    def as_dict(self) -> dict[str, Any]:
        """The reminder as JSON."""
        fields = {"memory": self.memory, "due": self.due, "next": self.following}
        return {name: jsonable(value) for name, value in fields.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class TickResult(AsJson):
    """What a tick did."""

    trace_id: str
    now: datetime
    dry_run: bool = False
    expired: tuple[str, ...] = ()
    """The ids of the memories that have expired."""
    resumed: tuple[str, ...] = ()
    """The ids of the memories whose temporary demotion has ended."""
    fired: tuple[Fired, ...] = ()
    """The reminders that have fired."""
    changes: tuple[Change, ...] = ()
    warnings: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The result as JSON, with ``fired`` under the name ``reminders``."""
        fields = AsJson.as_dict(self)
        return {"reminders" if name == "fired" else name: value for name, value in fields.items()}


def tick(adapter: Adapter, context: ExecutionContext) -> TickResult:
    """Carry out what is due at the context's instant: all expiries of the tenant (the result has
    those that the actor may read), and the reminders of memories that the actor may read (others
    wait). A reminder fires once, even if several of its occurrences have passed."""
    env = Env.of(context, Prepared())
    now, trace_id = env.now, context.trace()

    def body() -> tuple[Effect, Effect, tuple[Fired, ...]]:
        settled = settle_due(adapter, env, trace_id)
        reminded, fired = _remind(adapter, env)
        if reminded.touched:
            adapter.journal(Trail(trace_id, 0, "remind"), reminded, env)
        return settled, reminded, fired

    settled, reminded, fired = transact(adapter, body, keep=not context.dry_run)
    settled = _visible(settled, context)
    late = finish_erasures(adapter, context, forgets=True, patient=True)
    return TickResult(
        trace_id=trace_id, now=now, dry_run=context.dry_run, fired=fired,
        expired=_ids(settled, lambda row: due(row, now)),
        resumed=_ids(settled, lambda row: wakes(row, now)),
        changes=(*changes_of(settled), *changes_of(reminded)), warnings=settled.warnings + late,
    )  # fmt: skip


def _visible(settled: Effect, context: ExecutionContext) -> Effect:
    """The effect, without what the actor may not read before and after it, or be warned of."""
    visible = [
        pair for pair in settled.touched
        if all(row is None or may_read(row, context) for row in pair)
    ]  # fmt: skip
    ids = {row.id for pair in visible for row in pair if row is not None}
    return replace(
        settled, touched=tuple(visible), affected=tuple(i for i in settled.affected if i in ids),
        warnings=due_warnings(settled, context),
    )  # fmt: skip


def _ids(settled: Effect, condition: Callable[[Record], bool]) -> tuple[str, ...]:
    """The ids of the affected memories that met the condition before the effect, in order."""
    before = {row.id for row, _ in settled.touched if row is not None and condition(row)}
    return tuple(id_ for id_ in settled.affected if id_ in before)


def _remind(adapter: Adapter, env: Env) -> tuple[Effect, tuple[Fired, ...]]:
    """Fire the due reminders that the actor may read, and set their next occurrences."""
    pairs: list[Touched] = []
    fired = []
    for row in adapter.records(env.context, env.now, reminds=True):
        assert row.remind_next is not None
        due = following(row, env.now)
        start = row.remind_start if row.remind_rrule is not None else None
        pairs.append((row, replace(row, remind_next=due, remind_start=start)))
        fired.append(Fired(as_row(row), row.remind_next, due))
    return (adapter.restore(pairs, env) if pairs else Effect()), tuple(fired)


def following(row: Record, now: datetime) -> datetime | None:
    """The next occurrence of a memory's reminder after ``now``; None if there is none."""
    if row.remind_rrule is None:
        return None
    # A rule stored by an earlier version may be unreadable. Then there is no next occurrence.
    with suppress(UnreadableRule):
        return next_occurrence(
            row.remind_rrule, after=now, start=row.remind_start or row.created_at,
            tz=zone_of(row.remind_tz or "UTC"), until=row.remind_until,
        )  # fmt: skip
    return None
