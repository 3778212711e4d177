"""What a damaged file makes SQLite and the reading of its rows say, as errors of ours.

What was stored stands in none of them: SQLite quotes a text that it cannot decode, whosever it is.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from functools import wraps
from inspect import isfunction
from typing import Any, ParamSpec, TypeVar

from text2mem.adapters.sqlite.codec import UnreadableField
from text2mem.errors import AdapterError

P = ParamSpec("P")
T = TypeVar("T")
C = TypeVar("C", bound=type)

DAMAGE = (sqlite3.Error, UnreadableField, UnicodeDecodeError, json.JSONDecodeError)
"""What comes of a file that does not hold what it should, or cannot be read or written."""
_READING = (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError)
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


def said(error: BaseException) -> str:
    """What is wrong, without anything that was stored."""
    if isinstance(error, UnicodeDecodeError):
        return "a stored text is not UTF-8"
    if isinstance(error, json.JSONDecodeError):
        return "a stored value is no JSON"
    return str(error).partition(" with text ")[0]


def hint_for(error: BaseException) -> str:
    """What to do about it."""
    told = str(error).partition(" with text ")[0]
    other = _REFUSED if isinstance(error, _OTHERS) else _DAMAGED
    return next((hint for words, hint in _HINTS if words in told), other)


def cause(error: BaseException) -> BaseException | None:
    """An error as the cause of another one, where it quotes nothing."""
    return error if isinstance(error, sqlite3.Error) and said(error) == str(error) else None


def reading(read: Callable[P, T]) -> Callable[P, T]:
    """A reader of rows that raises UnreadableField, whatever it stumbles upon."""

    @wraps(read)
    def guarded(*args: P.args, **named: P.kwargs) -> T:
        try:
            return read(*args, **named)
        except UnreadableField:
            raise
        except (*_READING, RecursionError) as error:
            raise UnreadableField("a stored row cannot be read") from error

    return guarded


def guarded(cls: C) -> C:
    """A class whose public methods raise AdapterError for what a damaged file makes of them.

    Within a transaction the error goes on to whoever began it, who rolls back and mends.
    """
    for name, member in list(vars(cls).items()):
        if isfunction(member) and not name.startswith("_") and name != "transaction":
            setattr(cls, name, _outermost(member))
    return cls


def _outermost(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def call(self: Any, *args: Any, **named: Any) -> Any:
        try:
            return method(self, *args, **named)
        except DAMAGE as error:
            if self._store.connection.in_transaction:
                raise
            raise AdapterError(said(error), hint=hint_for(error)) from cause(error)

    return call
