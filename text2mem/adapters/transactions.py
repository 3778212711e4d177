"""Transactions of a store: those that are always rolled back, those that are run again, and what a
program's transaction begins with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

from text2mem.errors import AdapterError
from text2mem.ir.journal import TICK, Trail

if TYPE_CHECKING:
    from text2mem.adapters.base import Adapter, Effect, Env

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


def settled(adapter: Adapter, env: Env, trace_id: str) -> Effect:
    """Carry out whatever is due and journal it, as is done before the first step of a program."""
    effect = adapter.settle(env)
    if effect.touched:
        adapter.journal(Trail(trace_id, 0, TICK), effect, env)
    return effect


def with_its_lock(attempt: Callable[[bool], T], *, write: bool = False) -> T:
    """Call ``attempt`` with whether its transaction writes, and return its result. It is called
    again if it raises NeedsWriteLock, then as one that writes; and once more, since a row may have
    been mended (Mended is a NeedsWriteLock). After that, raises NeedsWriteLock."""
    for writes in (write, True, True):
        try:
            return attempt(writes)
        except NeedsWriteLock:
            continue
    raise NeedsWriteLock  # nested in a transaction that only reads, whose caller runs it again


def once_more(attempt: Callable[[], T]) -> T:
    """Call ``attempt``, a transaction, and once more if a row had to be mended; its result."""
    try:
        return attempt()
    except Mended:
        return attempt()
