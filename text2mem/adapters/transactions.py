"""Transactions of a store that are rolled back at their end, or run again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

from text2mem.errors import AdapterError

if TYPE_CHECKING:
    from text2mem.adapters.base import Adapter

T = TypeVar("T")


class NeedsWriteLock(Exception):
    """A transaction that only reads has found something due: run it again as one that writes."""


class Mended(NeedsWriteLock, AdapterError):
    """Unreadable fields have been set aside and the transaction rolled back: run it again."""


class _RollBack(Exception):
    """Raised to leave a transaction by a rollback."""


@contextmanager
def unit(adapter: Adapter, *, keep: bool, write: bool = True) -> Iterator[None]:
    """Run the body in a transaction that is rolled back at the end unless ``keep``."""
    with suppress(_RollBack), adapter.transaction(write=write):
        yield
        if not keep:
            raise _RollBack


def transact(
    adapter: Adapter, body: Callable[[], T], *, keep: bool = True, write: bool = True
) -> T:
    """Return what ``body`` returns, called in a ``unit``. If it raises NeedsWriteLock, it is called
    again with the write lock; and once more, since a row may have been mended (Mended is one, too).
    Nested in a transaction that only reads, this raises NeedsWriteLock, and the caller of that one
    runs it again."""
    for writes in (write, True):
        with suppress(NeedsWriteLock), unit(adapter, keep=keep, write=writes):
            return body()
    with unit(adapter, keep=keep):
        return body()
