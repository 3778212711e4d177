"""Programs run on what a corpus row starts from, and held against what it expects.

The gold programs, here; any other program for the same rows, through ``run_case``.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from text2mem.adapters.base import Adapter
from text2mem.adapters.registry import open_adapter
from text2mem.bench.assertions import Assertion, Check, Ranked, count, read_only
from text2mem.bench.corpus import Case
from text2mem.errors import AdapterError, ConfigurationError, ParseError, ValidationError
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ports import StoreView
from text2mem.ir.result import ProgramResult
from text2mem.pipeline import Program, execute

Status = Literal["passed", "missed", "illegal", "refused"]
STATUSES: tuple[Status, ...] = ("passed", "missed", "illegal", "refused")
_READS = ("Retrieve", "Summarize")
Plan = Callable[[StoreView], Program | Any]
"""Makes the program for a store that the prerequisites filled; None where it makes none."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a program did not run: its code, and where. ``pointer`` addresses ``part``."""

    part: Literal["prerequisites", "program"]
    code: str
    pointer: str
    message: str

    @property
    def key(self) -> str:
        """The key that the pointer ends in, list places left out."""
        tokens = [token for token in self.pointer.split("/") if not token.isdecimal()]
        return (tokens or [""])[-1].replace("~1", "/").replace("~0", "~")

    def as_dict(self) -> dict[str, str]:
        """The fault as JSON."""
        return {
            "part": self.part, "code": self.code, "pointer": self.pointer, "message": self.message,
        }  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one program on one case.

    ``checks`` hold for the store as the program left it; one that did not run left it as the
    prerequisites made it, and is illegal or refused however many of them hold. Where the
    prerequisites did not run there are none.
    """

    id: str
    status: Status
    checks: tuple[Check, ...] = ()
    ranked: Ranked | None = None
    faults: tuple[Fault, ...] = ()
    seconds: float = 0.0

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the row did not pass, in words under which rows can be grouped."""
        if self.faults:
            return tuple(dict.fromkeys(f"{f.code} {f.key!r}" for f in self.faults))
        missed = [
            f"assertion {check.assertion.name}{' (not checked)' if check.error else ''}"
            for check in self.checks
            if not check.held
        ]
        ranking = ["ranking"] if self.ranked is not None and not self.ranked.held else []
        return tuple(dict.fromkeys([*missed, *ranking]))

    def as_dict(self) -> dict[str, Any]:
        """The outcome as JSON."""
        return {
            "id": self.id, "status": self.status, "reasons": list(self.reasons),
            "faults": [fault.as_dict() for fault in self.faults],
            "checks": [check.as_dict() for check in self.checks],
            "ranking": None if self.ranked is None else self.ranked.as_dict(),
            "seconds": round(self.seconds, 4),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Stores:
    """Fresh stores: copies of one migrated, empty database. Threads may share them."""

    folder: Path
    empty: sqlite3.Connection
    lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def fresh(self) -> Iterator[tuple[Adapter, Path]]:
        """An empty store and its file, gone at the end."""
        with TemporaryDirectory(dir=self.folder) as own:
            path = Path(own) / "store.db"
            with self.lock, closing(sqlite3.connect(path)) as copy:
                self.empty.backup(copy)
            with closing(open_adapter(path)) as adapter:
                yield adapter, path


@contextmanager
def temporary_stores() -> Iterator[Stores]:
    """Stores in a temporary folder: migrated once, copied for every case."""
    # Threads of an interrupted run may still have a store open while the folder goes.
    with TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        open_adapter(folder / "empty.db").close()
        with closing(sqlite3.connect(folder / "empty.db", check_same_thread=False)) as empty:
            yield Stores(folder, empty)


def replay(cases: Iterable[Case]) -> Iterator[Outcome]:
    """The gold program of every case."""
    with temporary_stores() as stores:
        for case in cases:
            yield run_case(case, case.gold, stores)


def run_case(case: Case, program: Program | Any, stores: Stores) -> Outcome:
    """Run a program, JSON in any spelling, on a case's prerequisites; check what the case expects.

    The caller is the local user and confirms wide writes; the clock stands where the case has it.
    """
    return run_planned(case, lambda _: program, stores)


def run_planned(case: Case, plan: Plan, stores: Stores) -> Outcome:
    """As ``run_case``, of a program that is made in view of the store which it is to run on.

    Where the prerequisites do not run, no program is asked for. What ``plan`` raises is passed on.
    """
    begun = time.perf_counter()
    context = ExecutionContext(clock=case.clock, confirmed=True, trust_meta=True)
    with stores.fresh() as (adapter, path):
        for index, instance in enumerate(case.prerequisites):
            ran = _run([instance], adapter, context, place=index)
            if not isinstance(ran, ProgramResult):
                return _outcome(case, begun, ran)
        before = _counts(case.assertions, path)
        ran = _run(plan(adapter.view(context)), adapter, context)
        after = _counts(case.assertions, path)
    checks = tuple(
        Check(asked, old, new, error)
        for asked, (old, _), (new, error) in zip(case.assertions, before, after, strict=True)
    )
    return _outcome(case, begun, ran, checks)


@dataclass(frozen=True, slots=True)
class _Stopped:
    status: Literal["illegal", "refused"]
    faults: tuple[Fault, ...]


def _run(
    program: Program | Any, adapter: Adapter, context: ExecutionContext, place: int | None = None
) -> ProgramResult | _Stopped:
    """What a program did, or why it did not. ``place`` is that of a prerequisite, run alone."""
    found: list[tuple[str, str, str]]
    status: Literal["illegal", "refused"] = "illegal"
    try:
        result = execute(program, adapter, context=context)
        failed = result.error
        if failed is None:
            return result
        status, found = "refused", [(failed.code, failed.pointer, failed.message)]
    except ValidationError as error:
        found = [(d.code, d.pointer, d.message) for d in error.diagnostics]
    except ParseError as error:
        found = [("unreadable", error.pointer, error.message)]
    except AdapterError as error:
        status, found = "refused", [(type(error).__name__, "", error.message)]
    if place is None:
        return _Stopped(status, tuple(Fault("program", *one) for one in found))
    return _Stopped(
        status,
        tuple(
            Fault("prerequisites", code, f"/{place}{pointer.removeprefix('/0')}", message)
            for code, pointer, message in found
        ),
    )


def _outcome(
    case: Case, begun: float, ran: ProgramResult | _Stopped, checks: tuple[Check, ...] = ()
) -> Outcome:
    seconds = time.perf_counter() - begun
    if isinstance(ran, _Stopped):
        return Outcome(
            id=case.id, status=ran.status, checks=checks, faults=ran.faults, seconds=seconds
        )
    ranked = None
    if case.ranking is not None:
        reads = tuple(step.affected for step in ran.results if step.op in _READS)
        ranked = Ranked(case.ranking, reads)
    held = all(check.held for check in checks) and (ranked is None or ranked.held)
    return Outcome(
        id=case.id, status="passed" if held else "missed", checks=checks, ranked=ranked,
        seconds=seconds,
    )  # fmt: skip


def _counts(assertions: Sequence[Assertion], path: Path) -> list[tuple[int | None, str]]:
    """What each assertion counts in a store as it is now, or why it cannot be counted."""
    counted: list[tuple[int | None, str]] = []
    with read_only(path) as connection:
        for asked in assertions:
            try:
                counted.append((count(asked, connection), ""))
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
