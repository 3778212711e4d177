"""Erasure: what the file keeps of a memory that was erased or anonymised.

``secure_delete`` overwrites a row that is deleted. It does not overwrite the copies that SQLite
leaves in the unused part of a page when it moves rows between pages, and FTS5 keeps the words of
what has left its index until segments are merged. So an erasure ends with the index merged, the
file rewritten by VACUUM and the write-ahead log emptied (docs/store.md, "Erasure").
"""

from __future__ import annotations

import sqlite3
from contextlib import nullcontext
from typing import TYPE_CHECKING

from text2mem.adapters.sqlite.database import pragma, set_for_a_while

if TYPE_CHECKING:
    from text2mem.adapters.sqlite.store import SqliteStore

AT_ONCE = 256 * 2**20
"""Up to this many bytes a file is rewritten at once and in memory; a larger one waits for a tick,
and is rewritten by way of an unnamed file in SQLite's folder for such files."""
READERS_SECONDS = 1.0
"""How long readers of an older state of the file are waited for."""


def finish(store: SqliteStore, *, patient: bool) -> bool:
    """Take erased bytes out of the file; whether they are gone.

    They stay until the next call where another connection reads an older state of the file or
    keeps writing to it, where the disk is full, and where the file is large and the caller not
    ``patient``.
    """
    connection = store.connection
    try:
        erased = store.erasing
        if connection.in_transaction or not erased:
            return not erased
        if not store.vectors.file.discard():  # it may hold what is erased
            return False
        size = pragma(connection, "page_count") * pragma(connection, "page_size")
        if size > AT_ONCE and not patient:
            return False
        # First of all, so that a reader who stays does not make every try lengthen the log.
        if not _log_emptied(connection):
            return False
        store.words.optimise()
        with set_for_a_while(connection, "temp_store", "FILE") if size > AT_ONCE else nullcontext():
            _rewrite(connection)
        if not _log_emptied(connection):
            return False
        # What was erased meanwhile is for whoever erased it.
        store.execute(
            "UPDATE tenants SET erasing = 0 WHERE number = :tenant AND erasing = :erased",
            erased=erased,
        )
    except (sqlite3.Error, OSError):
        return False  # what was erased is committed: cleaning up is tried again by the next call
    return True


def _rewrite(connection: sqlite3.Connection) -> None:
    connection.execute("VACUUM")


def _log_emptied(connection: sqlite3.Connection) -> bool:
    with set_for_a_while(connection, "busy_timeout", int(READERS_SECONDS * 1000)):
        return not pragma(connection, "wal_checkpoint(TRUNCATE)")
