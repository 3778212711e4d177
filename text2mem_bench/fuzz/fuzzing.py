"""The loop: cases by number, each from its own seed; what fails is made smaller and told once."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import Any

from text2mem_bench.fuzz.meter import LIMIT, Meter, TooSlow, innermost
from text2mem_bench.fuzz.shrinking import smallest
from text2mem_bench.fuzz.surfaces import Surface
from text2mem_bench.fuzz.written import expression

_SHOWN = 10
_LONGEST_MESSAGE = 400


@dataclass(frozen=True, slots=True)
class Fault:
    """What a case did that it may not: the exception's type and message, and where it was raised.

    The ``kind`` is the same for what is one finding.
    """

    error: str
    message: str
    where: str

    @property
    def kind(self) -> tuple[str, str]:
        """Type and place; of what has no place, its message without numbers."""
        plain = "".join("#" if char.isdigit() else char for char in self.message)
        return self.error, plain[:60] if self.where == "-" else self.where


@dataclass(slots=True)
class Finding:
    """A fault, with the first case that has it; ``smallest`` is an expression of Python."""

    surface: str
    case: int
    seed: int
    fault: Fault
    smallest: str
    times: int = 1

    def as_dict(self) -> dict[str, Any]:
        """The finding as JSON."""
        return {
            "surface": self.surface, "case": self.case, "seed": self.seed, "times": self.times,
            "error": self.fault.error, "message": self.fault.message, "where": self.fault.where,
            "smallest": self.smallest,
        }  # fmt: skip


@dataclass(slots=True)
class Report:
    """What a run met. ``slowest`` are seconds of CPU and the case, by surface and call."""

    seed: int
    cases: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    slowest: dict[tuple[str, str], tuple[float, int]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    seconds: float = 0.0

    def slowest_calls(self) -> list[tuple[str, str, float, int]]:
        """The longest call of each kind, the longest first."""
        ordered = sorted(self.slowest.items(), key=lambda each: -each[1][0])[:_SHOWN]
        return [(*key, *longest) for key, longest in ordered]

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON."""
        outcomes: dict[str, dict[str, dict[str, int]]] = {}
        for (surface, what, outcome), times in sorted(self.outcomes.items()):
            outcomes.setdefault(surface, {}).setdefault(what, {})[outcome] = times
        return {
            "seed": self.seed, "seconds": round(self.seconds, 1), "cases": dict(self.cases),
            "outcomes": outcomes,
            "slowest": [
                {"surface": surface, "call": what, "seconds": round(taken, 4), "case": case}
                for surface, what, taken, case in self.slowest_calls()
            ],
            "findings": [each.as_dict() for each in self.findings],
        }  # fmt: skip


def fuzz(
    surfaces: Sequence[Surface],
    *,
    seed: int = 0,
    cases: int | None = None,
    seconds: float | None = None,
    only: int | None = None,
    among: Sequence[str] = (),
    limit: float = LIMIT,
) -> Report:
    """Run cases of the surfaces in turn, so many or for so long, or ``only`` the one of a number.

    ``among`` names the surfaces whose cases are run; the numbers stay what they are. ``limit`` is
    in seconds of CPU a call.
    """
    report = Report(seed)
    known: dict[tuple[str, str, str], Finding] = {}
    begun = time.perf_counter()
    for number in [only] if only is not None else _numbers(cases):
        if seconds is not None and time.perf_counter() - begun >= seconds:
            break
        surface = surfaces[number % len(surfaces)]
        if among and surface.name not in among:
            continue
        held = surface.make(Random(f"{seed}/{number}"))
        meter = Meter(limit)
        fault = fault_of(surface, held, meter)
        report.cases[surface.name] += 1
        for (what, outcome), times in meter.outcomes.items():
            report.outcomes[surface.name, what, outcome] += times
        for what, taken in meter.slowest.items():
            key = (surface.name, what)
            report.slowest[key] = max((taken, number), report.slowest.get(key, (0.0, 0)))
        if fault is None:
            continue
        report.outcomes[surface.name, "case", f"fault: {fault.error}"] += 1
        before = known.get((surface.name, *fault.kind))
        if before is not None:
            before.times += 1
            continue
        found = Finding(surface.name, number, seed, *_shrunk(surface, held, fault, limit))
        known[surface.name, *fault.kind] = found
        report.findings.append(found)
    report.seconds = time.perf_counter() - begun
    return report


def fault_of(surface: Surface, held: Any, meter: Meter) -> Fault | None:
    """What an input does that it may not; None where all is well."""
    try:
        surface.run(held, meter)
    except (Exception, TooSlow) as error:
        message = _plain(error)[:_LONGEST_MESSAGE]
        # A call that is stopped stands wherever it was just then.
        slow = isinstance(error, TooSlow)
        return Fault(type(error).__name__, message, "-" if slow else innermost(error))
    return None


def _plain(error: BaseException) -> str:
    """The message in ASCII; an exception may hold what cannot be written."""
    try:
        return str(error).encode("ascii", "backslashreplace").decode()
    except Exception as second:
        return f"unwritable: {type(second).__name__}"


def _shrunk(surface: Surface, held: Any, fault: Fault, limit: float) -> tuple[Fault, str]:
    """The fault of the smallest input that has it, and that input."""
    last = fault

    def fails(smaller: Any) -> bool:
        nonlocal last
        now = fault_of(surface, smaller, Meter(limit))
        if now is None or now.kind != fault.kind:
            return False
        last = now
        return True

    return last, expression(smallest(held, fails))


def _numbers(cases: int | None) -> Iterator[int]:
    yield from range(cases) if cases is not None else count()
