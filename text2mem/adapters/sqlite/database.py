"""Opening a database file: connection settings and migrations.

Migrations are the files of ``schema/sql`` in the order of their names. Each is applied once, in its
own transaction, and recorded in ``migrations``; a file that knows more of them than this version
does is refused.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

from text2mem import resources
from text2mem.errors import StoreError
from text2mem.ir.ports import Clock
from text2mem.ir.temporal import format_instant

if TYPE_CHECKING:
    import sqlite_utils

_FOLDER = "schema/sql"
_APPLICATION_ID = 0x74326D31  # "t2m1": what `file` and we recognise our databases by
BUSY_SECONDS = 30.0


def open_database(path: str | Path, clock: Clock) -> sqlite_utils.Database:
    """A migrated database. ``:memory:`` is one of this process's own.

    Raises StoreError where the file is not ours, is newer, or cannot be opened.
    """
    import sqlite_utils  # 250 ms to import: only a caller with a store pays it

    try:
        # Autocommit: transactions are begun by hand, with the lock that they need.
        connection = sqlite3.connect(
            str(path), timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
    except sqlite3.Error as error:
        raise StoreError(f"cannot open {path}: {error}", hint=_hint(path, error)) from error
    try:
        connection.row_factory = sqlite3.Row
        # First of all, and by reading alone: a stranger's file is left as it is.
        _refuse_stranger(connection, str(path))
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        db = sqlite_utils.Database(connection, use_old_upsert=False)
        _migrate(connection, str(path), clock)
    except sqlite3.DatabaseError as error:
        connection.close()
        raise StoreError(
            f"{path} cannot be used as a store: {error}", hint=_hint(path, error)
        ) from error
    except StoreError:
        connection.close()
        raise
    return db


def _migrate(connection: sqlite3.Connection, path: str, clock: Clock) -> None:
    known = [name for name in resources.names(_FOLDER) if name.endswith(".sql")]
    connection.execute("BEGIN IMMEDIATE")
    try:
        # A pragma takes no parameters; the number is a constant of this module.
        connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
        connection.execute(
            "CREATE TABLE IF NOT EXISTS migrations "
            "(name TEXT PRIMARY KEY, applied_at TEXT NOT NULL)"
        )
        applied = [row["name"] for row in connection.execute("SELECT name FROM migrations")]
        newer = sorted(set(applied) - set(known))
        if newer:
            raise StoreError(
                f"{path} was written by a newer version of text2mem (it knows {', '.join(newer)})",
                hint="upgrade text2mem, or use another file",
            )
        for name in known:
            if name not in applied:
                for statement in _statements(resources.read_text(_FOLDER, name)):
                    connection.execute(statement)
                connection.execute(
                    "INSERT INTO migrations (name, applied_at) VALUES (?, ?)",
                    (name, format_instant(clock.now())),
                )
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _refuse_stranger(connection: sqlite3.Connection, path: str) -> None:
    found = connection.execute("PRAGMA application_id").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if found != _APPLICATION_ID and (found != 0 or tables != 0):
        raise StoreError(
            f"{path} is a database of something else", hint="choose another file for the memories"
        )


def _hint(path: str | Path, error: sqlite3.Error) -> str:
    said = str(error)
    if Path(path).is_dir():
        return "that is a folder; name a file in it"
    if "unable to open" in said:
        return "is the folder there? it must be writable"
    if "locked" in said or "busy" in said:
        return "another program is writing to it; try again"
    if "readonly" in said:
        return "the file is not writable"
    if "full" in said:
        return "there is no room left on the disk"
    return "give the path of a text2mem database, or of a file that does not exist yet"


def _statements(script: str) -> list[str]:
    """The statements of a migration; ``executescript`` would commit in between."""
    out, current = [], ""
    for line in script.splitlines(keepends=True):
        current += line
        if sqlite3.complete_statement(current):
            out.append(current)
            current = ""
    return out
