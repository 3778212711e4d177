"""A database of the text-to-SQL tasks: made in memory, and guarded against what a model writes."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from text2mem.errors import ConfigurationError

Rows = Sequence[tuple[object, ...]]
_OPS_BETWEEN, _LOOKS = 1_000, 2_000
"""A statement is stopped after two million steps of SQLite's machine, the same on any computer."""
_MOST_ROWS = 200
_LONGEST = 1_000_000
_ALLOWED = frozenset(
    (
        sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_INSERT,
        sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE, sqlite3.SQLITE_RECURSIVE,
    )
)  # fmt: skip
_MADE = {"INT": "number", "REA": "number", "TEX": "text", "DAT": "text"}


class Refused(Exception):
    """What SQLite, or the guard, says of a statement that cannot be run."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column as people call it. ``key``: it identifies rows, here or those of ``of``."""

    table: str
    name: str
    kind: str
    key: bool
    spoken: str
    of: str = ""

    def __str__(self) -> str:
        return f"{self.name} -> {self.of}.id" if self.of else self.name


@dataclass(frozen=True)
class Database:
    """``terms`` are the words of the house, each with what it means."""

    name: str
    image: bytes
    columns: tuple[Column, ...]
    terms: Mapping[str, str]

    @cached_property
    def outline(self) -> str:
        """The tables with their columns, one a line."""
        return "\n".join(map(self.outline_of, self.tables))

    def outline_of(self, table: str) -> str:
        """A table with its columns."""
        return f"{table}({', '.join(str(each) for each in self.columns if each.table == table)})"

    @cached_property
    def tables(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(dict.fromkeys(column.table for column in self.columns))

    def contents(self, connection: sqlite3.Connection) -> Mapping[str, Sequence[str]]:
        """The rows of every table in one order: equal where two copies hold the same."""
        return {table: sorted(map(repr, _rows(connection, table))) for table in self.tables}

    def values(self, connection: sqlite3.Connection, column: Column) -> Sequence[object]:
        """The different values of a column, in the order of the rows."""
        at = [each.name for each in self.columns if each.table == column.table].index(column.name)
        return list(dict.fromkeys(row[at] for row in _rows(connection, column.table)))

    @contextmanager
    def opened(self) -> Iterator[sqlite3.Connection]:
        """A copy of its own, on which only rows can be read and changed."""
        with closing(connect(self.image)) as connection:
            yield connection


def connect(image: bytes) -> sqlite3.Connection:
    """A database from its bytes, in memory; nothing but its rows can be read and changed."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.deserialize(image)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
    connection.set_authorizer(_authorised)
    return connection


def execute(connection: sqlite3.Connection, sql: str) -> Rows:
    """The rows of one statement, at most 200. Raises Refused, with nothing changed."""
    looks = 0

    def look() -> int:
        nonlocal looks
        looks += 1
        return int(looks > _LOOKS)

    connection.set_progress_handler(look, _OPS_BETWEEN)
    try:
        return connection.execute(sql).fetchmany(_MOST_ROWS)
    except (sqlite3.Error, sqlite3.Warning, ValueError, UnicodeError, OverflowError) as error:
        raise Refused(str(error)) from error
    finally:
        connection.set_progress_handler(None, 0)


def read_database(folder: Path) -> Database:
    """A folder with ``schema.sql``, ``rows.sql`` and ``about.json``. Raises ConfigurationError."""
    try:
        about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
        with closing(sqlite3.connect(":memory:")) as connection:
            for name in ("schema.sql", "rows.sql"):
                connection.executescript((folder / name).read_text(encoding="utf-8"))
            columns = tuple(_columns(connection, about["spoken"]))
            image = connection.serialize()
        terms = {each["term"]: each["means"] for each in about["knowledge"]}
    except (OSError, ValueError, KeyError, TypeError, sqlite3.Error) as error:
        raise ConfigurationError(
            f"{folder} is no database of text-to-SQL tasks: {error}",
            hint="docs/bench/experience.md says which files make one",
        ) from error
    return Database(folder.name, image, columns, terms)


def _columns(connection: sqlite3.Connection, spoken: Mapping[str, str]) -> Iterator[Column]:
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    for (table,) in tables:
        linked = dict(
            connection.execute(
                'SELECT "from", "table" FROM pragma_foreign_key_list(?)', (table,)
            ).fetchall()
        )
        for name, declared, primary in connection.execute(
            "SELECT name, type, pk FROM pragma_table_info(?)", (table,)
        ):
            kind = _MADE.get(declared[:3].upper(), "text")
            of = linked.get(name, "")
            yield Column(table, name, kind, bool(primary or of), spoken[f"{table}.{name}"], of)


def _rows(connection: sqlite3.Connection, table: str) -> Rows:
    """Every row of a table, whose name SQLite quotes."""
    (all_of,) = connection.execute("SELECT format('SELECT * FROM \"%w\"', ?)", (table,)).fetchone()
    return connection.execute(all_of).fetchall()


def _authorised(action: int, *_: object) -> int:
    return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY
