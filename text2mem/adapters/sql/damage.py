"""What a damaged database and the reading of its rows say, as errors of ours."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps
from inspect import isfunction
from typing import Any, ParamSpec, TypeVar

from text2mem.adapters.sql.codec import UnreadableField
from text2mem.errors import AdapterError, StoreBusy, Text2MemError
from text2mem.ir.json_values import half_a_character

P = ParamSpec("P")
T = TypeVar("T")
C = TypeVar("C", bound=type)

UNREADABLE = (UnreadableField, UnicodeDecodeError, json.JSONDecodeError)
"""What comes of a row that does not hold what it should."""
_READING = (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError)


def said_of_a_row(error: BaseException) -> str | None:
    """What is wrong with a row that cannot be decoded; None for any other error."""
    if isinstance(error, UnicodeDecodeError):
        return "a stored text is not UTF-8"
    if isinstance(error, json.JSONDecodeError):
        return "a stored value is no JSON"
    return None


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
    """A class whose public methods are called by one thread at a time, on a store that is open.

    They raise AdapterError for what a damaged database makes of them, StoreBusy where another one
    writes to it, and ConfigurationError for a text that no database takes.

    Within a transaction the error goes on to whoever began it, who rolls back and mends.
    """
    for name, member in list(vars(cls).items()):
        if isfunction(member) and not name.startswith("_") and name != "transaction":
            setattr(cls, name, _outermost(member))
    return cls


def _outermost(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def call(self: Any, *args: Any, **named: Any) -> Any:
        store = self._store
        with store.lock:
            if method.__name__ != "close":
                store.require_open()
            try:
                return method(self, *args, **named)
            except UnicodeEncodeError:
                raise half_a_character() from None
            except store.faults as error:
                if store.in_transaction:
                    raise
                if store.busy(error):
                    told: Text2MemError = StoreBusy(
                        f"{store.name} is in use by another program: {store.said(error)}",
                        hint="try again",
                    )
                else:
                    told = AdapterError(store.said(error), hint=store.hint(error))
                raise told from store.cause(error)

    return call
