"""Cases of the execution layer: what fills a store, a program, and what it should bring about.

They come from ``fixtures/execution`` (its ``case.schema.json`` says how they are written), or from
a corpus (``text2mem_bench.corpus``), whose rows state which memories a read has to return and leave
the rest to be derived from the program.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any

from text2mem.clock import FixedClock
from text2mem.settings import read_zone
from text2mem_bench.corpus import Case as CorpusCase
from text2mem_bench.corpus import read_corpus
from text2mem_bench.lines import read, rows
from text2mem_bench.running import Step, instant


@dataclass(frozen=True, slots=True)
class Expiry:
    """A memory that ends at an instant, in the way that ``action`` names."""

    id: str
    at: datetime
    action: str


@dataclass(frozen=True, slots=True)
class Reminder:
    """The next instants at which a memory's reminder is due, in order."""

    id: str
    due: tuple[datetime, ...]


@dataclass(frozen=True, slots=True)
class Shift:
    """The place of a memory among the hits of ``probe``, a target, before and after a program.

    Places count from 1; None is "no hit".
    """

    id: str
    probe: Any
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class Relevance:
    """What a read should return: the gain of each relevant id, looked for among the first ``k``.

    ``hits`` of them have to be there. ``step`` is the read, from 1; without one, the best of the
    program's reads counts.
    """

    gains: Mapping[str, float]
    k: int
    hits: int
    step: int | None = None


Changes = Mapping[str, Mapping[str, Any] | None]
"""The values of changed fields by id, as JSON; None is a memory that is gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What a case states. ``changes`` None: it does not say what changes."""

    changes: Changes | None = None
    expiries: tuple[Expiry, ...] = ()
    reminders: tuple[Reminder, ...] = ()
    shifts: tuple[Shift, ...] = ()
    relevance: Relevance | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionCase:
    """One case. ``derive``: expiries, reminders and shifts are worked out from the program."""

    id: str
    lang: str
    now: datetime
    tz: tzinfo = UTC
    setup: tuple[Step, ...]
    program: Any
    utterance: str = ""
    expected: Expected = field(default_factory=Expected)
    derive: bool = False

    @property
    def clock(self) -> FixedClock:
        """The clock that the program runs by."""
        return FixedClock(self.now)


def read_cases(path: str | Path, limit: int | None = None) -> list[ExecutionCase]:
    """The cases of a file, the first ``limit`` of them; its first line tells which kind it is of.

    Raises ConfigurationError, with the line, where one is not in the format.
    """
    first: tuple[int, Any] | None = next(rows(path), None)
    if first is not None and isinstance(first[1], dict) and "schema_list" in first[1]:
        return [from_corpus(case) for case in read_corpus(path, limit)]
    hint = "fixtures/execution/case.schema.json says what a case is"
    return read(path, limit, _case, what="a case of the execution layer", hint=hint)


def from_corpus(case: CorpusCase) -> ExecutionCase:
    """A row of a corpus as a case of the execution layer."""
    relevance = None
    if case.ranking is not None:
        wanted = case.ranking
        relevance = Relevance(dict.fromkeys(wanted.gold_ids, 1.0), wanted.k, wanted.min_hits)
    return ExecutionCase(
        id=case.id, lang=case.lang, now=case.clock.now(),
        setup=tuple(Step(program=[instance]) for instance in case.prerequisites),
        program=case.gold, utterance=case.utterance, expected=Expected(relevance=relevance),
        derive=True,
    )  # fmt: skip


def _case(row: Any) -> ExecutionCase:
    """Raises KeyError, TypeError, ValueError or AttributeError where it is not in the format."""
    return ExecutionCase(
        id=str(row["id"]), lang=str(row["lang"]), now=instant(row["now"]),
        tz=read_zone(row.get("tz", "UTC")), setup=tuple(map(Step.read, row["setup"])),
        program=row["program"], expected=_expected(row["expected"]),
    )  # fmt: skip


def _expected(raw: Any) -> Expected:
    if not isinstance(raw, dict):
        raise TypeError("'expected' is not an object")
    relevance = None
    if "retrieval" in raw:
        told = raw["retrieval"]
        gains = {str(id_): float(gain) for id_, gain in told["gains"].items()}
        hits = told.get("hits", sum(gain > 0 for gain in gains.values()))
        relevance = Relevance(gains, int(told["k"]), hits, told.get("step"))
    return Expected(
        changes=raw.get("changes"),
        expiries=tuple(
            Expiry(each["id"], instant(each["at"]), each["action"])
            for each in raw.get("expiries", ())
        ),
        reminders=tuple(
            Reminder(each["id"], tuple(map(instant, each["due"])))
            for each in raw.get("reminders", ())
        ),
        shifts=tuple(
            Shift(each["id"], each["probe"], each["before"], each["after"])
            for each in raw.get("shifts", ())
        ),
        relevance=relevance,
    )  # fmt: skip
