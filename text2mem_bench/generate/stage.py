"""Where programs are tried: one SQLite database in memory, rolled back after each of them.

A store is filled once and serves many cases; a case runs inside a savepoint of its transaction.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.clock import FixedClock
from text2mem.errors import ExecutionError, ValidationError
from text2mem.executor import Prepared
from text2mem.executor.executor import run_prepared
from text2mem.executor.prepared import NotPrepared
from text2mem.ir.context import ExecutionContext
from text2mem.ir.result import ProgramResult
from text2mem.program import Program
from text2mem_bench.assertions import Assertion, count

Row = Mapping[str, Any]
State = Mapping[str, Row]


class _Back(Exception):
    """Leaves a transaction without keeping anything."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A program that ran: the memories before and after it, by id, and its result."""

    before: State
    after: State
    result: ProgramResult


class Stage(SqliteAdapter):
    """A store of its own, and the connection that assertions are counted over."""

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection, inside whatever transaction is open."""
        return self._store.connection

    @contextmanager
    def filled(self, prerequisites: Sequence[Row], now: datetime) -> Iterator[None]:
        """The store with prerequisites in it, for as long as this lasts. Raises where they fail."""
        with self._undone():
            program = Program.load(list(prerequisites), now=now)
            refused = self._run(program, now).error
            if refused is not None:
                raise ExecutionError(refused.code, refused.message)
            yield

    @contextmanager
    def prepared(self, setup: Sequence[Row], now: datetime) -> Iterator[bool]:
        """The store after some instances, as long as this lasts; false where one is refused."""
        with self._undone():
            yield all(self._ran([instance], now) is not None for instance in setup)

    def tried(self, program: Sequence[Row], now: datetime) -> Tried | None:
        """Run a program on the store as it stands; None where it is illegal or refused."""
        before = self.memories()
        result = self._ran(program, now)
        return None if result is None else Tried(before, self.memories(), result)

    def _ran(self, program: Sequence[Row], now: datetime) -> ProgramResult | None:
        try:
            result = self._run(Program.load(list(program), now=now), now)
        except ValidationError:
            return None
        return result if result.ok else None

    def memories(self) -> State:
        """The rows of the view ``memory`` by id."""
        return {row["id"]: dict(row) for row in self.connection.execute("SELECT * FROM memory")}

    def counts(self, assertions: Sequence[Assertion]) -> list[int]:
        """How many memories satisfy each assertion's conditions, at this moment."""
        return [count(asked, self.connection) for asked in assertions]

    def _run(self, program: Program, now: datetime) -> ProgramResult:
        context = ExecutionContext(clock=FixedClock(now), confirmed=True, trust_meta=True)
        prepared = Prepared.of()
        prepared.begin(program.ops)
        while True:
            try:
                return run_prepared(program.ops, self, context, prepared).result
            except NotPrepared as missing:
                prepared.fulfil(missing)

    @contextmanager
    def _undone(self) -> Iterator[None]:
        """A transaction, or a savepoint of it, that is rolled back at the end."""
        try:
            with self.transaction():
                yield
                raise _Back
        except _Back:
            pass
