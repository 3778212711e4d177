"""Playing a case on one backend: everything that is to be scored, looked at once."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from text2mem.adapters.base import Adapter
from text2mem.clock import FixedClock
from text2mem.executor import tick
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ports import Embedder
from text2mem.ir.result import ProgramResult
from text2mem.program import Program
from text2mem_bench.consistency import Account
from text2mem_bench.execution import derived, triggers
from text2mem_bench.execution.cases import ExecutionCase, Expiry, Reminder
from text2mem_bench.execution.shift import Hits, Probed, probe, probe_of
from text2mem_bench.running import Memories, Opener, Stopped, fill, run, snapshot

_LATER = timedelta(days=366)
_EVERYTHING = {"filter": {"weight_gte": 0, "include": ["archived", "deleted"], "limit": 1000}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """What one backend made of a case.

    ``hits_before`` and ``hits_after`` are those of each probe of the case, by its number;
    ``probed`` are the shifts of a case that states none.
    """

    account: Account
    before: Memories = field(default_factory=dict)
    hits_before: Mapping[int, Hits] = field(default_factory=dict)
    hits_after: Mapping[int, Hits] = field(default_factory=dict)
    probed: Probed = field(default_factory=Probed)
    checks: tuple[triggers.Check, ...] = ()
    seconds: float = 0.0


def play(
    case: ExecutionCase, program: Program, opener: Opener, embedder: Embedder | None
) -> Played:
    """Fill a fresh store, run the program, and look; at last everything that is due is ticked."""
    context = ExecutionContext(
        clock=case.clock, tz=case.tz, confirmed=True, trust_meta=True, trace_id="case"
    )
    with opener() as adapter:
        failed = fill(adapter, case.setup, case.now, embedder)
        if failed is not None:
            return Played(account=Account(outcome=failed))
        before = snapshot(adapter, case.now)
        probes = _probes(case)
        hits_before = {n: _hits(p, adapter, context, embedder) for n, p in enumerate(probes)}
        begun = time.perf_counter()
        outcome = run(program, adapter, context, embedder)
        seconds = time.perf_counter() - begun
        after = snapshot(adapter, case.now)
        hits_after = {n: _hits(p, adapter, context, embedder) for n, p in enumerate(probes)}
        reads = {"a read of everything": _hits(_EVERYTHING, adapter, context, embedder)}
        reads.update({f"the search of probe {n + 1}": hits for n, hits in hits_after.items()})
        ends, calls = _scheduled(case, program, outcome, before)
        checks = triggers.check(adapter, ends, calls, after, case.now)
        last = max([case.now + _LATER, *_last(ends, calls)])
        tick(adapter, ExecutionContext(clock=FixedClock(last)))
        later = snapshot(adapter, last)
    return Played(
        account=Account(outcome=outcome, memories=after, reads=reads, later=later),
        before=before, hits_before=hits_before, hits_after=hits_after, checks=tuple(checks),
        probed=probe(case, program, opener, embedder) if case.derive else Probed(),
        seconds=seconds,
    )  # fmt: skip


def _probes(case: ExecutionCase) -> list[Any]:
    if case.derive:
        return [probe_of(case.utterance)]
    return [shift.probe for shift in case.expected.shifts]


def _hits(
    target: Any, adapter: Adapter, context: ExecutionContext, embedder: Embedder | None
) -> Hits:
    read = {"stage": "RET", "op": "Retrieve", "target": target}
    ran = run([read], adapter, context, embedder)
    return [] if isinstance(ran, Stopped) else ran.results[0].rows


def _scheduled(
    case: ExecutionCase, program: Program, outcome: ProgramResult | Stopped, before: Memories
) -> tuple[Sequence[Expiry], Sequence[Reminder]]:
    if isinstance(outcome, Stopped):
        return (), ()
    if not case.derive:
        return case.expected.expiries, case.expected.reminders
    ends = derived.expiries(program.ops, outcome.results, before, case.now)
    calls = derived.reminders(program.ops, outcome.results, ends, case.now, case.tz)
    return list(ends.values()), list(calls.values())


def _last(ends: Sequence[Expiry], calls: Sequence[Reminder]) -> Iterator[datetime]:
    """The instants up to which the store has been ticked."""
    for due in [*(end.at for end in ends), *(due for call in calls for due in call.due)]:
        yield due + timedelta(seconds=1)
