"""What a corpus row expects of a store and of a read, checked without any way to change the store.

An assertion counts rows of the view ``memory`` under a conjunction of SQL conditions; a ranking
names ids that a read of the program must return. The conditions are SQLite's, whatever backend
holds the memories: these are put under the view of an empty store of ours. They come from a file,
so that the connection's authorizer lets nothing through but reading.
"""

from __future__ import annotations

import operator
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from text2mem.adapters.sql.codec import COLUMNS, to_row
from text2mem.errors import ConfigurationError
from text2mem.ir.record import Record

COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq, "!=": operator.ne, ">=": operator.ge, "<=": operator.le,
    ">": operator.gt, "<": operator.lt,
}  # fmt: skip
_INSERT = (
    f"INSERT INTO memories (pk, tenant, {', '.join(COLUMNS)}) "  # noqa: S608
    f"VALUES (?, 1{', ?' * len(COLUMNS)})"
)
_HARMLESS = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION)


@dataclass(frozen=True, slots=True)
class Assertion:
    """How many memories satisfy every condition of ``where``, compared with ``value``.

    ``unreadable`` says why an assertion cannot be checked at all; it then never holds.
    """

    name: str
    where: tuple[str, ...] = ()
    compare: str = "=="
    value: float = 0
    params: Mapping[str, Any] = field(default_factory=dict)
    unreadable: str = ""

    @property
    def sql(self) -> str:
        """The statement that counts; its parameters stay parameters."""
        conditions = " AND ".join(f"({condition})" for condition in self.where)
        return f"SELECT count(*) FROM memory WHERE {conditions or 'true'}"  # noqa: S608

    def holds(self, count: int | None) -> bool:
        """Whether that many memories are what is expected; None, not counted, never is."""
        return count is not None and COMPARISONS[self.compare](count, self.value)


@dataclass(frozen=True, slots=True)
class Check:
    """An assertion and its counts before and after a program; ``error`` says why one is None."""

    assertion: Assertion
    before: int | None
    after: int | None
    error: str = ""

    @property
    def held(self) -> bool:
        """Whether the assertion holds after the program."""
        return self.assertion.holds(self.after)

    @property
    def effective(self) -> bool:
        """Whether it took the program to make the assertion true."""
        return self.held and not self.assertion.holds(self.before)

    def as_dict(self) -> dict[str, Any]:
        """The check as JSON, with the SQL and the numbers."""
        asked = self.assertion
        return {
            "name": asked.name, "sql": asked.sql, "params": dict(asked.params),
            "expected": f"{asked.compare} {asked.value}", "before": self.before,
            "after": self.after, "held": self.held, "error": self.error,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ranking:
    """At least ``min_hits`` of ``gold_ids`` among the first ``k`` ids, ``allow_extra`` or not."""

    gold_ids: tuple[str, ...]
    min_hits: int
    allow_extra: bool
    k: int

    def hits(self, returned: Sequence[str]) -> int:
        """How many gold ids are among the first k."""
        return len(set(returned[: self.k]) & set(self.gold_ids))

    def holds(self, returned: Sequence[str]) -> bool:
        """Whether one read returned what is expected."""
        extra = set(returned[: self.k]) - set(self.gold_ids)
        return self.hits(returned) >= self.min_hits and (self.allow_extra or not extra)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A ranking and the ids that each read of a program returned, in its order.

    One read has to satisfy it: a program may look at other things before and after.
    """

    ranking: Ranking
    returned: tuple[tuple[str, ...], ...]

    @property
    def held(self) -> bool:
        """Whether one of the reads returned what is expected."""
        return any(self.ranking.holds(ids) for ids in self.returned)

    @property
    def hits(self) -> int:
        """The gold ids in the best of the reads."""
        return max((self.ranking.hits(ids) for ids in self.returned), default=0)

    def as_dict(self) -> dict[str, Any]:
        """The ranking as JSON, with what was returned."""
        asked = self.ranking
        return {
            "gold_ids": list(asked.gold_ids), "min_hits": asked.min_hits, "k": asked.k,
            "allow_extra": asked.allow_extra, "returned": [list(ids) for ids in self.returned],
            "hits": self.hits, "held": self.held,
        }  # fmt: skip


class Table:
    """The view ``memory`` over the memories of one tenant, to be counted and nothing else."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """``connection`` is to an empty store of ours, which is filled: its first tenant's."""
        self._connection = connection
        # SQLite declares these tables on their first use, which the authorizer would forbid.
        connection.execute("SELECT 1 FROM json_each('[]'), json_tree('[]')").fetchall()

    def hold(self, records: Iterable[Record]) -> None:
        """These memories, in place of what it held."""
        self._connection.set_authorizer(None)
        try:
            self._connection.execute("DELETE FROM memories")
            rows = [(int(record.id), *to_row(record).values()) for record in records]
            self._connection.executemany(_INSERT, rows)
        finally:
            self._connection.set_authorizer(_authorise)

    def count(self, assertion: Assertion) -> int:
        """The memories that satisfy an assertion's conditions; see ``count``."""
        return count(assertion, self._connection)


def count(assertion: Assertion, connection: sqlite3.Connection) -> int:
    """The memories that satisfy an assertion's conditions.

    Raises ConfigurationError where SQLite refuses them: the file that they come from is wrong.
    """
    reason = assertion.unreadable
    if not reason:
        try:
            row = connection.execute(assertion.sql, dict(assertion.params)).fetchone()
            return int(row[0])
        except (sqlite3.Error, OverflowError, ValueError) as error:
            reason = str(error)
    raise ConfigurationError(
        f"the assertion '{assertion.name}' cannot be checked: {reason}",
        hint="conditions read the view memory and bind every :name from params",
    )


def _authorise(
    action: int, first: str | None, second: str | None, _database: str | None, _view: str | None
) -> int:
    loads_code = action == sqlite3.SQLITE_FUNCTION and second == "load_extension"
    return sqlite3.SQLITE_OK if action in _HARMLESS and not loads_code else sqlite3.SQLITE_DENY
