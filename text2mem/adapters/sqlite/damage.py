"""What a damaged file makes SQLite say, as errors of ours.

What was stored stands in none of them: SQLite quotes a text that it cannot decode, whosever it is.
"""

from __future__ import annotations

import sqlite3

from text2mem.adapters.sql.damage import UNREADABLE, said_of_a_row

DAMAGE = (sqlite3.Error, *UNREADABLE)
"""What comes of a file that does not hold what it should, or cannot be read or written."""
_HINTS = (
    ("locked", "another program is writing to it; try again"),
    ("busy", "another program is writing to it; try again"),
    ("readonly", "the file is not writable"),
    ("full", "there is no room left on the disk"),
    (
        "unable to open",
        "is the folder there? this user must be able to write to it and to the file",
    ),
)
_DAMAGED = "the file is damaged: put a copy in its place, or save what `sqlite3 FILE .recover` has"
_REFUSED = "`text2mem doctor` tries the store"
_OTHERS = (sqlite3.IntegrityError, sqlite3.DataError, sqlite3.InterfaceError)


def busy(error: BaseException) -> bool:
    """Whether another connection writes, and has not stopped in time."""
    # The upper bytes of SQLite's own number say more than is asked.
    return getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY


def said(error: BaseException) -> str:
    """What is wrong, without anything that was stored."""
    return said_of_a_row(error) or str(error).partition(" with text ")[0]


def hint_for(error: BaseException) -> str:
    """What to do about it."""
    told = str(error).partition(" with text ")[0]
    other = _REFUSED if isinstance(error, _OTHERS) else _DAMAGED
    return next((hint for words, hint in _HINTS if words in told), other)


def cause(error: BaseException) -> BaseException | None:
    """An error as the cause of another one, where it quotes nothing."""
    return error if isinstance(error, sqlite3.Error) and said(error) == str(error) else None
