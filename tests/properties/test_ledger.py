"""The ledger answers what a naive replay of the same statements answers, at every instant."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.properties.profile import HUNT
from tests.properties.statements import (
    BEGIN,
    Replay,
    Size,
    Statement,
    Told,
    plain,
    shown,
    workload,
)
from text2mem.adapters.base import Adapter
from text2mem.adapters.memory import MemoryAdapter
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.clock import FixedClock
from text2mem.executor import execute, execute_many
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import ByFilter, ByIds, Content, Delete, Encode, Op, Retrieve, Update
from text2mem.ir.result import ProgramResult

WHOLE = Size(facts=10_000, subjects=200, instants=1_000, pairs=200)
SMALL = Size(facts=1_500, subjects=25, instants=80, pairs=60)
TINY = Size(facts=150, subjects=3, instants=40, pairs=40)
EVERYTHING = ByFilter(limit=100_000)
SHOWN = ("subject", "attribute", "value", "valid_from", "valid_to")


def op_of(said: Statement, ids: Sequence[str]) -> Op:
    """The op that says a statement; ``ids`` are those of the versions, in order."""
    if said.kind in ("state", "wait"):
        content = {"subject": said.subject, "attribute": said.attribute, "value": said.value}
        times = {"valid_from": said.begin, "valid_to": said.end}
        given: dict[str, Any] = {name: when for name, when in times.items() if when is not None}
        if said.kind == "wait":
            given["confidence"] = 0.1
        return Encode(content=Content("structured", content), attributes=given)  # type: ignore[arg-type]
    target = ByIds((ids[said.version],))
    if said.kind in ("delete", "erase"):
        return Delete(target=target, soft=said.kind == "delete")
    edits: dict[str, Any] = {
        "raise": {"confidence": 0.9},
        "end": {"valid_to": said.end},
        "revise": {"value": said.value, "valid_from": said.begin},
    }[said.kind]
    kept = {name: value for name, value in edits.items() if value is not None or name == "value"}
    return Update(target=target, edits=kept)  # type: ignore[typeddict-item]


def told(result: ProgramResult) -> str:
    """What came of a statement, in the words of ``Replay.tell``."""
    if result.error is not None:
        return result.error.code
    (step,) = result.results
    if step.created:
        return "made"
    return "known" if any("holds this value already" in note for note in step.warnings) else "changed"


def ask(adapter: Adapter, now: datetime, **asked: datetime) -> set[Told]:
    """The facts that a read of everything shows."""
    context = ExecutionContext(clock=FixedClock(now))
    read = Retrieve(target=EVERYTHING, include=SHOWN, **asked)  # type: ignore[arg-type]
    (step,) = execute([read], adapter, context).results
    found = [
        (
            row["subject"], row["attribute"], plain(row["value"]),
            datetime.fromisoformat(row["valid_from"]),
            row["valid_to"] and datetime.fromisoformat(row["valid_to"]),
        )
        for row in step.rows
    ]  # fmt: skip
    assert len(set(found)) == len(found)
    return set(found)


def check(adapter: Adapter, size: Size, seed: int) -> None:
    """A workload told to a store, and everything asked of it that the replay can answer."""
    replay = Replay()
    everything: list[Statement] = []
    ids: list[str] = []
    for said in workload(size, seed):
        context = ExecutionContext(clock=FixedClock(said[0].at))
        programs = [[op_of(each, ids)] for each in said]
        for each, result in zip(said, execute_many(programs, adapter, context), strict=True):
            assert told(result) == replay.tell(each), each
            ids.extend(result.results[0].created)
        assert len(ids) == len(replay.versions)
        everything.extend(said)
    dice = random.Random(seed)  # noqa: S311
    now = everything[-1].at
    span = int((now - BEGIN).total_seconds())

    def moment(before: int = 60, after: int = 30) -> datetime:
        return BEGIN + timedelta(seconds=dice.randint(-before * 86_400, span + after * 86_400))

    moments = [v.begin for v in replay.versions] + [v.end for v in replay.versions if v.end]
    assert ask(adapter, now) == replay.at(now)
    for number in range(size.instants):
        instant = dice.choice(moments) if number % 4 == 0 else moment()
        assert ask(adapter, now, as_of=instant) == replay.at(instant), instant
    gone = {number for number, version in enumerate(replay.versions) if version.deleted}
    asked = sorted((moment(0, 1), moment()) for _ in range(size.pairs))
    then, repeated = Replay(), 0
    for known_at, as_of in asked:
        while repeated < len(everything) and everything[repeated].at <= known_at:
            then.tell(everything[repeated])
            repeated += 1
        believed = {
            shown(version)
            for number, version in enumerate(then.versions)
            if number not in gone and version.holds_at(as_of)
        }
        assert ask(adapter, now, as_of=as_of, known_at=known_at) == believed, (known_at, as_of)


@pytest.mark.parametrize("seed", range(max(HUNT // 100, 2)))
def test_the_plain_model_answers_as_a_replay_does(seed: int) -> None:
    check(MemoryAdapter(), TINY, seed)


@pytest.mark.parametrize("seed", range(max(HUNT // 100, 1)))
def test_sqlite_answers_as_a_replay_does(seed: int) -> None:
    adapter = SqliteAdapter()
    check(adapter, WHOLE if HUNT else SMALL, seed)
    adapter.close()
