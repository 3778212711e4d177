"""Errors of a damaged database, and of rows that cannot be decoded, as errors of this package."""

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
"""The exceptions that a row raises whose columns do not hold what they should."""
_READING = (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError)


def said_of_a_row(error: BaseException) -> str | None:
    """The message for a row that cannot be decoded; None for any other error."""
    if isinstance(error, UnicodeDecodeError):
        return "a stored text is not UTF-8"
    if isinstance(error, json.JSONDecodeError):
        return "a stored value is no JSON"
    return None


def reading(read: Callable[P, T]) -> Callable[P, T]:
    """Decorate a function that decodes rows so that it raises UnreadableField if it fails."""

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
    """Decorate a class that has a ``_store``. Its public methods hold the store's lock, and raise
    StoreError if it is closed.

    Outside a transaction they raise StoreBusy if another program holds the database, and
    AdapterError for any other fault of it. Within a transaction, a fault is raised as it is, for
    the code that began the transaction: it rolls back, and mends. A text with half a surrogate
    pair, which no database takes, raises ConfigurationError.
    """
    for name, member in list(vars(cls).items()):
        if isfunction(member) and not name.startswith("_") and name != "transaction":
            setattr(cls, name, _outermost(member))
    return cls


def _outermost(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method with the behaviour that ``guarded`` describes."""

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
                    raised: Text2MemError = StoreBusy(
                        f"{store.name} is in use by another program: {store.said(error)}",
                        hint="try again",
                    )
                else:
                    raised = AdapterError(store.said(error), hint=store.hint(error))
                raise raised from store.cause(error)

    return call
