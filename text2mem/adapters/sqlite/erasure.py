"""Erasure: removing from the file what it still holds of erased or anonymised memories.

``secure_delete`` leaves the copies in the unused part of a page from which SQLite has moved rows,
and FTS5 the words of removed memories in its segments. So an erasure ends by merging the index,
rewriting the file by VACUUM, and emptying the write-ahead log (docs/store.md, "Erasure").
"""

from __future__ import annotations

import sqlite3
from contextlib import nullcontext

from text2mem.adapters.sqlite.database import pragma, set_for_a_while
from text2mem.adapters.sqlite.store import SqliteStore

AT_ONCE = 256 * 2**20
"""A file of up to this many bytes is rewritten at once, in memory. A larger one is rewritten by a
tick, by way of an unnamed file in SQLite's folder for temporary files."""
READERS_SECONDS = 1.0
"""How long to wait for readers of an older state of the file."""


def finish(store: SqliteStore, *, patient: bool) -> bool:
    """Remove erased bytes from the file; whether none is left. They stay if another connection
    reads an older state or keeps writing, the disk is full, or the file large and the call not
    ``patient``."""
    connection = store.connection
    try:
        erased = store.erasing
        if connection.in_transaction or not erased:
            return not erased
        if not store.vectors.file.discard():  # the saved index may hold erased vectors
            return False
        size = pragma(connection, "page_count") * pragma(connection, "page_size")
        if size > AT_ONCE and not patient:
            return False
        # Before the rewrite, so that further attempts do not lengthen the log while a reader stays.
        if not _log_emptied(connection):
            return False
        store.words.optimise()
        with set_for_a_while(connection, "temp_store", "FILE") if size > AT_ONCE else nullcontext():
            _rewrite(connection)
        if not _log_emptied(connection):
            return False
        # If more was erased meanwhile, the count differs and stays for the next call.
        store.execute(
            "UPDATE tenants SET erasing = 0 WHERE number = :tenant AND erasing = :erased",
            erased=erased,
        )
    except (sqlite3.Error, OSError):
        return False  # the erasure itself is committed; the next call cleans the file
    return True


def _rewrite(connection: sqlite3.Connection) -> None:
    connection.execute("VACUUM")


def _log_emptied(connection: sqlite3.Connection) -> bool:
    """Move the write-ahead log into the file and truncate it; whether no reader prevented that."""
    with set_for_a_while(connection, "busy_timeout", int(READERS_SECONDS * 1000)):
        return not pragma(connection, "wal_checkpoint(TRUNCATE)")
