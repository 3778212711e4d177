"""Programs run on what a corpus row starts from, and held against what it expects.

The gold programs, here; any other program for the same rows, through ``run_case``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from text2mem.errors import ConfigurationError
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import READS
from text2mem.ir.ports import Embedder
from text2mem.ir.record import Record
from text2mem.ir.result import ProgramResult
from text2mem.program import Program
from text2mem_bench.assertions import Assertion, Check, Ranked, Table
from text2mem_bench.corpus import Case
from text2mem_bench.mirrors import missed
from text2mem_bench.running import Fault, Scene, Step, Stopped, Stores, fill, held, run

Status = Literal["passed", "missed", "illegal", "refused"]
STATUSES: tuple[Status, ...] = ("passed", "missed", "illegal", "refused")
Plan = Callable[[Scene], Program | Any]
"""Makes the program for a store that the prerequisites filled; None where it makes none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one program on one case.

    ``checks`` hold for the store as the program left it; one that did not run left it as the
    prerequisites made it, and is illegal or refused however many of them hold. Where the
    prerequisites did not run there are none. ``hits`` are the ids that each step of a program that
    ran touched or returned. ``unmirrored`` says what a framework holds otherwise than the store
    beside it: then the row is missed.
    """

    id: str
    status: Status
    checks: tuple[Check, ...] = ()
    ranked: Ranked | None = None
    faults: tuple[Fault, ...] = ()
    hits: tuple[tuple[str, ...], ...] = ()
    unmirrored: str = ""
    seconds: float = 0.0

    @property
    def account(self) -> tuple[object, ...]:
        """All that two backends must agree on."""
        counts = tuple((check.before, check.after) for check in self.checks)
        returned = None if self.ranked is None else self.ranked.returned
        return self.status, self.faults, counts, returned, self.hits, self.unmirrored

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the row did not pass, in words under which rows can be grouped."""
        if self.faults:
            return tuple(dict.fromkeys(f"{f.code} {f.key!r}" for f in self.faults))
        failed = [
            f"assertion {check.assertion.name}{' (not checked)' if check.error else ''}"
            for check in self.checks
            if not check.held
        ]
        ranking = ["ranking"] if self.ranked is not None and not self.ranked.held else []
        mirror = [self.unmirrored] if self.unmirrored else []
        return tuple(dict.fromkeys([*failed, *ranking, *mirror]))

    def as_dict(self) -> dict[str, Any]:
        """The outcome as JSON."""
        return {
            "id": self.id, "status": self.status, "reasons": list(self.reasons),
            "faults": [fault.as_dict() for fault in self.faults],
            "checks": [check.as_dict() for check in self.checks],
            "ranking": None if self.ranked is None else self.ranked.as_dict(),
            "unmirrored": self.unmirrored, "seconds": round(self.seconds, 4),
        }  # fmt: skip


def replay(cases: Iterable[Case], stores: Stores) -> Iterator[Outcome]:
    """The gold program of every case."""
    for case in cases:
        yield run_case(case, case.gold, stores)


def run_case(case: Case, program: Program | Any, stores: Stores) -> Outcome:
    """Run a program, JSON in any spelling, on a case's prerequisites; check what the case expects.

    The caller is the local user and confirms wide writes; the clock stands where the case has it.
    """
    return run_planned(case, lambda _: program, stores)


def run_planned(
    case: Case, plan: Plan, stores: Stores, embedder: Embedder | None = None
) -> Outcome:
    """As ``run_case``, of a program that is made in view of the store which it is to run on.

    With an ``embedder`` the memories of that store have vectors; the program runs as without.
    Where the prerequisites do not run, no program is asked for. What ``plan`` raises is passed on.
    """
    begun = time.perf_counter()
    context = ExecutionContext(clock=case.clock, confirmed=True, trust_meta=True)
    setup = [Step(program=instance) for instance in case.prerequisites]
    with stores.opened() as adapter, stores.table() as table:
        failed = fill(adapter, setup, case.clock.now(), embedder)
        if failed is not None:
            return _outcome(case, begun, failed)
        before = _counts(case.assertions, held(adapter, context), table)
        ran = run(plan(Scene.of(adapter, context)), adapter, context)
        records = held(adapter, context)
        after = _counts(case.assertions, records, table)
        unmirrored = missed(adapter, records)
    checks = tuple(
        Check(asked, old, new, error)
        for asked, (old, _), (new, error) in zip(case.assertions, before, after, strict=True)
    )
    return _outcome(case, begun, ran, checks, unmirrored)


def _outcome(
    case: Case, begun: float, ran: ProgramResult | Stopped, checks: tuple[Check, ...] = (),
    unmirrored: str = "",
) -> Outcome:  # fmt: skip
    seconds = time.perf_counter() - begun
    if isinstance(ran, Stopped):
        return Outcome(
            id=case.id, status=ran.status, checks=checks, faults=ran.faults, seconds=seconds
        )
    ranked = None
    if case.ranking is not None:
        reads = tuple(step.affected for step in ran.results if step.op in READS)
        ranked = Ranked(case.ranking, reads)
    right = all(check.held for check in checks) and (ranked is None or ranked.held)
    return Outcome(
        id=case.id, status="passed" if right and not unmirrored else "missed", checks=checks,
        ranked=ranked, hits=tuple(step.affected for step in ran.results), unmirrored=unmirrored,
        seconds=seconds,
    )  # fmt: skip


def _counts(
    assertions: Sequence[Assertion], records: Sequence[Record], table: Table
) -> list[tuple[int | None, str]]:
    """What each assertion counts among memories, or why it cannot be counted."""
    table.hold(records)
    counted: list[tuple[int | None, str]] = []
    for asked in assertions:
        try:
            counted.append((table.count(asked), ""))
        except ConfigurationError as error:
            counted.append((None, error.message))
    return counted


@dataclass(frozen=True, slots=True)
class Report:
    """What became of a corpus. ``share`` is that of the legal rows which passed, 0 to 1."""

    outcomes: tuple[Outcome, ...]

    def count(self, status: Status) -> int:
        """The rows with a status."""
        return sum(outcome.status == status for outcome in self.outcomes)

    @property
    def legal(self) -> int:
        """The rows that are not illegal."""
        return len(self.outcomes) - self.count("illegal")

    @property
    def share(self) -> float:
        """Passed rows among the legal ones; 0 where there is none."""
        return self.count("passed") / self.legal if self.legal else 0.0

    @property
    def checks(self) -> tuple[Check, ...]:
        """The assertions of the legal rows."""
        return tuple(c for o in self.outcomes if o.status != "illegal" for c in o.checks)

    @property
    def failures(self) -> tuple[Outcome, ...]:
        """The rows that did not pass."""
        return tuple(outcome for outcome in self.outcomes if outcome.status != "passed")

    def by_reason(self, status: Status) -> dict[str, list[str]]:
        """The ids of the rows with a status by reason, the commonest first.

        A row with several reasons stands under each of them.
        """
        groups: dict[str, list[str]] = {}
        for outcome in self.outcomes:
            if outcome.status == status:
                for reason in outcome.reasons:
                    groups.setdefault(reason, []).append(outcome.id)
        return dict(sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])))

    def otherwise(self, first: Report) -> dict[str, str]:
        """The rows that did not end as on another store, and in words how, by id."""
        return {
            outcome.id: f"{_ending(was)} → {_ending(outcome)}"
            for was, outcome in zip(first.outcomes, self.outcomes, strict=True)
            if outcome.account != was.account
        }

    def as_dict(self) -> dict[str, Any]:
        """The figures as JSON."""
        return {
            "rows": len(self.outcomes), "legal": self.legal,
            **{status: self.count(status) for status in STATUSES},
            "share": round(self.share, 4),
            "assertions": {
                "checked": len(self.checks),
                "held": sum(check.held for check in self.checks),
                "effective": sum(check.effective for check in self.checks),
            },
            "reasons": {s: self.by_reason(s) for s in STATUSES if s != "passed"},
            "seconds": round(sum(outcome.seconds for outcome in self.outcomes), 2),
        }  # fmt: skip


def _ending(outcome: Outcome) -> str:
    """How a row ended: with nothing that it missed, which ids its steps touched or returned."""
    told = [fault.message for fault in outcome.faults] or list(outcome.reasons)
    return f"{outcome.status} ({'; '.join(told) or [list(ids) for ids in outcome.hits]})"
