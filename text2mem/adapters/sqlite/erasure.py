"""Erasure: what the tables and the file keep of a memory that was erased or anonymised.

``secure_delete`` overwrites a row that is deleted. It does not overwrite the copies that SQLite
leaves in the unused part of a page when it moves rows between pages, and FTS5 keeps the words of
what has left its index until segments are merged. So an erasure ends with the index merged, the
file rewritten by VACUUM and the write-ahead log emptied (docs/store.md, "Erasure").
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from text2mem.adapters.sqlite.store import Store

AT_ONCE = 256 * 2**20
"""Up to this many bytes a file is rewritten at once and in memory; a larger one waits for a tick,
and is rewritten by way of an unnamed file in SQLite's folder for such files."""
READERS_SECONDS = 1.0
"""How long readers of an older state of the file are waited for."""

_EVER_HELD = """
SELECT DISTINCT child.value FROM (
    SELECT side.value AS ids
    FROM journal AS j, json_each(j.changes, '$.lineage_children') AS side
    WHERE j.tenant = :tenant AND j.id = :id AND j.changes IS NOT NULL
    UNION ALL SELECT m.lineage_children FROM memories AS m WHERE m.pk = :pk
) AS held, json_each(held.ids) AS child
"""
_WHILE_HELD = """
SELECT min(j.seq), max(j.seq) FROM journal AS j
WHERE j.tenant = :tenant AND j.id = :holder AND j.changes IS NOT NULL AND :held IN (
    SELECT origin.value
    FROM json_each(j.changes, '$.lineage_parents') AS side, json_each(side.value) AS origin
) AND NOT EXISTS (
    SELECT 1 FROM memories AS m, json_each(m.lineage_parents) AS origin
    WHERE m.pk = :holder_pk AND origin.value = :held
)
"""
_BLANK = "UPDATE journal SET changes = NULL WHERE tenant = :tenant AND id = :id"
_UNSAY = """
UPDATE journal SET said = NULL WHERE tenant = :tenant AND said IS NOT NULL AND trace_id IN (
    SELECT trace_id FROM journal WHERE tenant = :tenant AND id = :id
)
"""


def forget(store: Store, id_: str) -> None:
    """What the journal and the beliefs hold of a memory is gone, and the file is to be cleaned.

    So is what the journal holds of memories that had its content for a while, until an undo took
    it from them: nobody would find it there any more. And so are the words of every program that
    touched one of them.
    """
    pk = store.pk(id_)
    for (holder,) in store.execute(_EVER_HELD, id=int(id_), pk=pk).fetchall():
        first, last = store.execute(
            _WHILE_HELD, holder=int(holder), holder_pk=store.pk(holder), held=id_
        ).fetchone()
        if first is not None:
            store.execute(_UNSAY, id=int(holder))
            store.execute(f"{_BLANK} AND seq BETWEEN :first AND :last",
                          id=int(holder), first=first, last=last)  # fmt: skip
    store.execute(_UNSAY, id=int(id_))
    store.execute(_BLANK, id=int(id_))
    store.connection.execute("DELETE FROM beliefs WHERE pk = ?", (pk,))
    store.connection.execute("DELETE FROM queue WHERE pk = ?", (pk,))
    store.connection.execute("DELETE FROM broken WHERE pk = ?", (pk,))
    store.execute("UPDATE tenants SET erasing = erasing + 1 WHERE number = :tenant")


def finish(store: Store, *, patient: bool) -> bool:
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
        if not store.vectors.discard_graph():
            return False
        size = _pragma(connection, "page_count") * _pragma(connection, "page_size")
        if size > AT_ONCE and not patient:
            return False
        # First of all, so that a reader who stays does not make every try lengthen the log.
        if not _log_emptied(connection):
            return False
        store.words.optimise()
        with _temporary_files(connection, allowed=size > AT_ONCE):
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
    usual = _pragma(connection, "busy_timeout")
    connection.execute(f"PRAGMA busy_timeout = {int(READERS_SECONDS * 1000)}")
    try:
        return not _pragma(connection, "wal_checkpoint(TRUNCATE)")
    finally:
        connection.execute(f"PRAGMA busy_timeout = {usual}")


@contextmanager
def _temporary_files(connection: sqlite3.Connection, *, allowed: bool) -> Iterator[None]:
    usual = _pragma(connection, "temp_store")
    if allowed:
        connection.execute("PRAGMA temp_store = FILE")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA temp_store = {usual}")


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    """The first number that a pragma answers; names and numbers are constants of this module."""
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
