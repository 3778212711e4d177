"""The ledger answers what a naive replay of the same statements answers, at every instant."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.properties.profile import HUNT
from tests.properties.statements import BEGIN, Replay, Size, Statement, Told, plain, shown, workload
from tests.properties.worlds import BACKENDS
from text2mem.adapters.base import Adapter
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.clock import FixedClock
from text2mem.executor import execute, execute_many
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import ByFilter, ByIds, Content, Delete, Encode, Op, Retrieve, Update
from text2mem.ir.result import ProgramResult

WHOLE = Size(facts=10_000, subjects=200, instants=1_000, pairs=200)
MANY = Size(facts=2_500, subjects=50, instants=80, pairs=40)
FEW = Size(facts=150, subjects=3, instants=40, pairs=40)
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
    return (
        "known" if any("holds this value already" in note for note in step.warnings) else "changed"
    )


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
        context = ExecutionContext(clock=FixedClock(said[0].at), confirmed=True)
        programs = [[op_of(each, ids)] for each in said]
        for each, result in zip(said, execute_many(programs, adapter, context), strict=True):
            assert told(result) == replay.tell(each), each
            ids.extend(result.results[0].created)
        assert len(ids) == len(replay.versions)
        everything.extend(said)
    dice = random.Random(seed)
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


@pytest.mark.parametrize("seed", range(HUNT // 20 or 3))
@pytest.mark.parametrize("make", BACKENDS.values(), ids=BACKENDS)
def test_a_store_answers_as_a_replay_does(make: Callable[[], Adapter], seed: int) -> None:
    adapter = make()
    check(adapter, FEW, seed)
    adapter.close()


def test_a_large_ledger_answers_as_a_replay_does() -> None:
    """10,000 facts and 1,000 instants take 100 s, so that CI has fewer."""
    adapter = SqliteAdapter()
    check(adapter, WHOLE if HUNT else MANY, seed=HUNT)
    adapter.close()


# --- behind the adapter's back -------------------------------------------------------------

COLUMNS = {
    "text": "''", "payload": "'{}'", "tags": "'[]'", "facets": "'{}'", "weight": "0.5",
    "archived": "0", "deleted": "0", "created_at": "'2026-03-04T10:30:00Z'",
    "updated_at": "'2026-03-04T10:30:00Z'", "lock_policy": "'{}'", "read_whitelist": "'[]'",
    "read_blacklist": "'[]'", "write_whitelist": "'[]'", "write_blacklist": "'[]'",
    "lineage_parents": "'[]'", "lineage_children": "'[]'", "lineage_facets": "'{}'",
    "version": "1", "subject": "'Ann'", "subject_key": "'ann'",
    "attribute": "'city'", "value": "'\"Rome\"'",
    "valid_from": "'2026-01-01T00:00:00Z'", "fact_key": "''",
}  # fmt: skip
MARCH, APRIL, MAY = (f"'2026-0{month}-01T00:00:00Z'" for month in (3, 4, 5))


@pytest.fixture
def attacked() -> Iterator[sqlite3.Connection]:
    """The database of a store in which Ann has lived in Rome in March, and in Oslo since April."""
    adapter = SqliteAdapter()
    now = datetime(2026, 5, 1, tzinfo=UTC)
    context = ExecutionContext(clock=FixedClock(now))
    program = [
        op_of(Statement(now, "state", "Ann", "city", city, begin), ())
        for city, begin in (("Rome", now.replace(month=3)), ("Oslo", now.replace(month=4)))
    ]
    assert execute(program, adapter, context).ok
    yield adapter._store.connection
    adapter.close()


def insert(connection: sqlite3.Connection, how: str = "INSERT", **columns: str) -> None:
    """A row of ``memories`` past the code; the columns are SQL expressions."""
    base, number = connection.execute("SELECT max(pk), max(id) FROM memories").fetchone()
    given = {"pk": str(base + 1), "tenant": "1", "id": str(number + 1), **COLUMNS, **columns}
    names, values = ", ".join(given), ", ".join(given.values())
    connection.execute(f"{how} INTO memories ({names}) VALUES ({values})")


@pytest.mark.parametrize(
    "columns",
    [
        {"valid_from": APRIL},
        {"valid_from": MAY},
        {"valid_from": MARCH},
        {"valid_from": MARCH, "valid_to": APRIL},
        {"valid_from": "'2026-03-20T00:00:00Z'", "valid_to": MAY},
        {"valid_from": "'2026-02-01T00:00:00Z'", "valid_to": "'2026-03-01T00:00:01Z'"},
    ],
)
@pytest.mark.parametrize("how", ["INSERT", "INSERT OR REPLACE", "INSERT OR IGNORE"])
def test_the_database_keeps_out_a_second_value_at_one_instant(
    attacked: sqlite3.Connection, how: str, columns: dict[str, str]
) -> None:
    with (
        pytest.raises(sqlite3.IntegrityError)
        if how == "INSERT"
        else suppress(sqlite3.IntegrityError)
    ):
        insert(attacked, how, **columns)
    assert overlaps(attacked) == []


@pytest.mark.parametrize(
    "change",
    [
        "valid_to = NULL WHERE id = 1",
        f"valid_to = {MAY} WHERE id = 1",
        f"valid_from = {MARCH} WHERE id = 2",
        "subject_key = 'ann', deleted = 0 WHERE subject_key = 'ann' AND deleted = 1",
        "pending = 0 WHERE pending = 1",
        "subject_key = 'ann' WHERE subject_key = 'bo'",
        "attribute = 'city' WHERE attribute = 'town'",
        "fact_key = '' WHERE fact_key = 'x'",
    ],
)
@pytest.mark.parametrize("how", ["UPDATE", "UPDATE OR REPLACE", "UPDATE OR IGNORE"])
def test_the_database_keeps_out_what_would_make_two_values_hold(
    attacked: sqlite3.Connection, how: str, change: str
) -> None:
    for columns in (
        {"deleted": "1"}, {"pending": "1"}, {"subject_key": "'bo'"}, {"attribute": "'town'"},
        {"fact_key": "'x'"},
    ):  # fmt: skip
        insert(attacked, **columns)
    with (
        pytest.raises(sqlite3.IntegrityError)
        if how == "UPDATE"
        else suppress(sqlite3.IntegrityError)
    ):
        attacked.execute(f"{how} memories SET {change}")
    assert overlaps(attacked) == []


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE beliefs SET value = '1'",
        "UPDATE OR REPLACE beliefs SET valid_from = '2020-01-01T00:00:00Z'",
        "UPDATE OR IGNORE beliefs SET valid_to = NULL",
        "UPDATE beliefs SET recorded_at = '2020-01-01T00:00:00Z'",
        "UPDATE beliefs SET pk = pk + 1",
        "UPDATE beliefs SET retracted_at = NULL",
        "UPDATE beliefs SET retracted_at = '2030-01-01T00:00:00Z' WHERE retracted_at IS NOT NULL",
    ],
)
def test_the_database_refuses_to_rewrite_a_belief(
    attacked: sqlite3.Connection, statement: str
) -> None:
    before = [tuple(row) for row in attacked.execute("SELECT * FROM beliefs")]
    with pytest.raises(sqlite3.IntegrityError):
        attacked.execute(statement)
    assert [tuple(row) for row in attacked.execute("SELECT * FROM beliefs")] == before


def overlaps(connection: sqlite3.Connection) -> list[tuple[int, int]]:
    """Pairs of ids whose facts hold at one instant."""
    found = connection.execute(
        "SELECT a.id, b.id FROM memories AS a JOIN memories AS b "
        "USING (tenant, subject_key, attribute)"
        " WHERE a.fact_key = b.fact_key AND a.id < b.id AND NOT (a.deleted OR b.deleted)"
        " AND NOT (a.pending OR b.pending)"
        " AND max(a.valid_from, b.valid_from)"
        "   < min(ifnull(a.valid_to, '9999'), ifnull(b.valid_to, '9999'))"
    )
    return [(row[0], row[1]) for row in found]
