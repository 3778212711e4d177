"""Messages and hints for SQLite's errors, without anything that was stored: SQLite quotes a text
that it cannot decode, and that may be another tenant's."""

from __future__ import annotations

import sqlite3

from text2mem.adapters.sql.damage import UNREADABLE, said_of_a_row

DAMAGE = (sqlite3.Error, *UNREADABLE)
"""The exceptions of a file that is damaged, or cannot be read or written."""
_HINTS = (
    ("locked", "another program is writing to it; try again"),
    ("busy", "another program is writing to it; try again"),
    ("readonly", "the file is not writable"),
    ("full", "there is no room left on the disk"),
    ("disk I/O", "the disk, a quota or a limit on the size of files refused it"),
    (
        "unable to open",
        "is the folder there? this user must be able to write to it and to the file",
    ),
)
_DAMAGED = "the file is damaged: put a copy in its place, or save what `sqlite3 FILE .recover` has"
_REFUSED = "`text2mem doctor` tries the store"
_OTHERS = (sqlite3.IntegrityError, sqlite3.DataError, sqlite3.InterfaceError)


def busy(error: BaseException) -> bool:
    """Whether the lock of another connection was not released in time."""
    # The lowest byte of SQLite's extended code is the primary code.
    return getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY


def said(error: BaseException) -> str:
    """The message of an error, without stored values."""
    return said_of_a_row(error) or str(error).partition(" with text ")[0]


def hint_for(error: BaseException) -> str:
    """What to do about an error."""
    message = str(error).partition(" with text ")[0]
    other = _REFUSED if isinstance(error, _OTHERS) else _DAMAGED
    return next((hint for words, hint in _HINTS if words in message), other)


def cause(error: BaseException) -> BaseException | None:
    """The error as the cause of another one; None if it quotes stored values."""
    return error if isinstance(error, sqlite3.Error) and said(error) == str(error) else None
