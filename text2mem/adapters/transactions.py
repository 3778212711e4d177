"""Transactions of a store: those that are always rolled back, and those that are run again."""

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


def retry_as_writer(attempt: Callable[[bool], T], *, write: bool = False) -> T:
    """Call ``attempt`` with whether its transaction writes, and return its result. It is called
    again if it raises NeedsWriteLock, then as one that writes; and once more, since a row may have
    been mended (Mended is a NeedsWriteLock). Nested in a transaction that only reads, it raises
    NeedsWriteLock, and the caller of that one runs it again."""
    for writes in (write, True):
        with suppress(NeedsWriteLock):
            return attempt(writes)
    return attempt(True)


def retry_mended(attempt: Callable[[], T]) -> T:
    """Call ``attempt``, a transaction, and once more if a row had to be mended; its result."""
    try:
        return attempt()
    except Mended:
        return attempt()
