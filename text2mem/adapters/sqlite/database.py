"""Opening a database file: connection settings, and the check that the file is a store."""

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

_APPLICATION_ID = 0x74326D31  # "t2m1": identifies a store, for this module and for `file`
_MAGIC = b"SQLite format 3\0"
BUSY_SECONDS = 30.0
_LOOKS_AGAIN = 0.02
"""Seconds between two attempts of ``_set``."""
_PRAGMAS = (
    "foreign_keys = ON",
    "secure_delete = ON",
    "journal_mode = WAL",
    "cache_size = -65536",  # KiB
    "mmap_size = 8589934592",
    "wal_autocheckpoint = 8192",  # pages; a page that changes often is copied once for many commits
    "temp_store = MEMORY",  # no content in temporary files
)
SYNCHRONOUS = ("NORMAL", "FULL")
"""With NORMAL, commits survive a crash of the process; with FULL, also a power loss."""


def open_database(path: str | Path, *, synchronous: str = "NORMAL") -> sqlite3.Connection:
    """Connect to a database file, which is made or migrated if need be, or to a new one in memory
    (``:memory:``). Raises ConfigurationError for an unknown ``synchronous``, StoreError if the file
    is not a store, is newer, or cannot be opened."""
    if synchronous not in SYNCHRONOUS:
        raise ConfigurationError(
            f"there is no synchronous={synchronous!r}", hint=f"one of: {', '.join(SYNCHRONOUS)}"
        )
    _refuse_stranger(path)
    try:
        # Autocommit mode: the code begins transactions itself, with the lock that they need.
        connection = sqlite3.connect(
            str(path), timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
    except (sqlite3.Error, ValueError) as error:  # ValueError: a NUL in the path
        raise StoreError(f"cannot open {path}: {error}", hint=_hint(path, error)) from error
    try:
        connection.row_factory = sqlite3.Row
        # This only reads and comes first, so that a file that is not a store is not changed.
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
    """Set a pragma, and try again for ``BUSY_SECONDS`` while the file is busy: SQLite's own waiting
    does not cover processes that make the same new file at once and switch to write-ahead
    logging."""
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
    """The first number that a pragma returns; names are constants of the code."""
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


@contextmanager
def set_for_a_while(connection: sqlite3.Connection, name: str, value: object) -> Iterator[None]:
    """Run the body with another value of a pragma; name and value are constants of the code."""
    usual = pragma(connection, name)
    connection.execute(f"PRAGMA {name} = {value}")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA {name} = {usual}")


def _refuse_stranger(path: str | Path) -> None:
    """Raise StoreError if a file has content but not SQLite's header. SQLite takes one that is
    shorter than its header for an empty file, and would overwrite it."""
    beginning = _beginning(path)
    if beginning and beginning != _MAGIC:
        raise unusable(path, sqlite3.DatabaseError("file is not a database"))


def is_database(path: str | Path) -> bool:
    """Whether a file is a SQLite database, a store's or another one."""
    return os.path.isfile(path) and _beginning(path) == _MAGIC


def _beginning(path: str | Path) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(len(_MAGIC))
    except (OSError, ValueError):
        return b""  # the file is missing, or SQLite will report what is wrong


def unusable(path: str | Path, error: Exception) -> StoreError:
    """The error for a file that is not a store, is damaged, or is locked by another program."""
    message = said(error) if isinstance(error, DAMAGE) else "it holds what no store holds"
    kind = StoreBusy if busy(error) else StoreError
    return kind(f"{path} cannot be used as a store: {message}", hint=_hint(path, error))


def _is_new(connection: sqlite3.Connection, path: str) -> bool:
    """Whether the database is new. Raises StoreError if it is of another program."""
    # The tables are counted first: another process that makes the file right now sets the id
    # before it makes a table.
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    application_id = pragma(connection, "application_id")
    if application_id != _APPLICATION_ID and (application_id != 0 or tables != 0):
        raise StoreError(
            f"{path} is a database of something else", hint="choose another file for the memories"
        )
    return application_id != _APPLICATION_ID


def _hint(path: str | Path, error: Exception) -> str:
    if "\0" in str(path):
        return "a path holds no NUL"
    if os.path.isdir(path):  # Path.is_dir would raise if the name is too long
        return "that is a folder; name a file in it"
    if "not a database" in str(error):
        return "give the path of a text2mem database, or of a file that does not exist yet"
    return hint_for(error)
