"""Transactions of a store: how they are begun again, and how nothing of one is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

from text2mem.errors import AdapterError

if TYPE_CHECKING:
    from text2mem.adapters.base import Adapter

T = TypeVar("T")
_AGAIN = (True, True)
"""The further tries of a transaction: with the lock that it needs, and on a row that was mended."""


class NeedsWriteLock(Exception):
    """A transaction begun to read has found something to carry out first: begin it to write."""


class Mended(NeedsWriteLock, AdapterError):
    """What could not be read has been set aside, and nothing else was done: begin once more."""


class _RollBack(Exception):
    """Leaves a transaction without keeping anything."""


@contextmanager
def unit(adapter: Adapter, *, keep: bool, write: bool = True) -> Iterator[None]:
    """A transaction, of which nothing is kept where not ``keep``: dry runs and reads."""
    with suppress(_RollBack), adapter.transaction(write=write):
        yield
        if not keep:
            raise _RollBack


def with_its_lock(attempt: Callable[[bool], T], *, write: bool = False) -> T:
    """The result of an attempt, which is told whether its transaction is to write.

    It is made again where it needs the lock of a writer, and where a row had to be mended.
    """
    for writes in (write, *_AGAIN):
        try:
            return attempt(writes)
        except NeedsWriteLock:
            continue
    raise NeedsWriteLock  # inside a transaction that reads: whoever began it begins it again


def once_more(attempt: Callable[[], T]) -> T:
    """The result of an attempt at a transaction, made again where a row had to be mended."""
    try:
        return attempt()
    except Mended:
        return attempt()
