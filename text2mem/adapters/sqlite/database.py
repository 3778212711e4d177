"""Opening a database file: connection settings, and whose file it is."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from text2mem.adapters.sqlite.damage import DAMAGE, busy, cause, hint_for, said
from text2mem.adapters.sqlite.migrations import migrate
from text2mem.errors import ConfigurationError, StoreBusy, StoreError

_APPLICATION_ID = 0x74326D31  # "t2m1": what `file` and we recognise our databases by
_MAGIC = b"SQLite format 3\0"
BUSY_SECONDS = 30.0
_LOOKS_AGAIN = 0.02
"""Seconds between two tries."""
_PRAGMAS = (
    "foreign_keys = ON",
    "secure_delete = ON",
    "journal_mode = WAL",
    "cache_size = -65536",  # KiB
    "mmap_size = 8589934592",
    "wal_autocheckpoint = 8192",  # pages: one that changes often is moved once for many commits
    "temp_store = MEMORY",  # no content in files of its own
)
SYNCHRONOUS = ("NORMAL", "FULL")
"""NORMAL survives the death of the process, FULL that of the machine as well."""


def open_database(path: str | Path, *, synchronous: str = "NORMAL") -> sqlite3.Connection:
    """A connection to a migrated database. ``:memory:`` is one of this process's own.

    Raises ConfigurationError for another ``synchronous`` than there is, StoreError where the file
    is not ours, is newer, or cannot be opened.
    """
    if synchronous not in SYNCHRONOUS:
        raise ConfigurationError(
            f"there is no synchronous={synchronous!r}", hint=f"one of: {', '.join(SYNCHRONOUS)}"
        )
    _refuse_stranger(path)
    try:
        # Autocommit: transactions are begun by hand, with the lock that they need.
        connection = sqlite3.connect(
            str(path), timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
    except (sqlite3.Error, ValueError) as error:  # ValueError: a NUL in the path
        raise StoreError(f"cannot open {path}: {error}", hint=_hint(path, error)) from error
    try:
        connection.row_factory = sqlite3.Row
        # First of all, and by reading alone: a stranger's file is left as it is.
        if _is_new(connection, str(path)):
            # A pragma takes no parameters; the number is a constant of this module.
            connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
        for pragma in (*_PRAGMAS, f"synchronous = {synchronous}"):
            _set(connection, pragma)
        migrate(connection, str(path))
    except DAMAGE as error:
        connection.close()
        raise unusable(path, error) from cause(error)
    except StoreError:
        connection.close()
        raise
    return connection


def _set(connection: sqlite3.Connection, pragma: str) -> None:
    """Sets what a connection goes by. SQLite waits for no other one where several make the same new
    file at once and each turns its log on."""
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute(f"PRAGMA {pragma}")
            return
        except sqlite3.OperationalError as error:
            if not busy(error) or time.monotonic() > until:
                raise
        time.sleep(_LOOKS_AGAIN)


def pragma(connection: sqlite3.Connection, name: str) -> int:
    """The first number that a pragma answers; names are constants of the code."""
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


@contextmanager
def set_for_a_while(connection: sqlite3.Connection, name: str, value: object) -> Iterator[None]:
    """A pragma with another value; both are constants of the code."""
    usual = pragma(connection, name)
    connection.execute(f"PRAGMA {name} = {value}")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA {name} = {usual}")


def _refuse_stranger(path: str | Path) -> None:
    """SQLite takes a file that is shorter than its header for an empty one, and writes over it."""
    try:
        with open(path, "rb") as file:
            begins = file.read(len(_MAGIC))
    except (OSError, ValueError):
        return  # not there yet, or SQLite says what is wrong
    if begins and begins != _MAGIC:
        raise unusable(path, sqlite3.DatabaseError("file is not a database"))


def unusable(path: str | Path, error: Exception) -> StoreError:
    """A file that opens, and holds something else than a store, or is held by another program."""
    told = said(error) if isinstance(error, DAMAGE) else "it holds what no store holds"
    kind = StoreBusy if busy(error) else StoreError
    return kind(f"{path} cannot be used as a store: {told}", hint=_hint(path, error))


def _is_new(connection: sqlite3.Connection, path: str) -> bool:
    # In this order: whoever makes the file at this moment names it before there is a table.
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    found = pragma(connection, "application_id")
    if found != _APPLICATION_ID and (found != 0 or tables != 0):
        raise StoreError(
            f"{path} is a database of something else", hint="choose another file for the memories"
        )
    return found != _APPLICATION_ID


def _hint(path: str | Path, error: Exception) -> str:
    told = str(error)
    if "\0" in str(path):
        return "a path holds no NUL"
    if os.path.isdir(path):  # a Path raises where its name is too long
        return "that is a folder; name a file in it"
    if "not a database" in told:
        return "give the path of a text2mem database, or of a file that does not exist yet"
    return hint_for(error)
