"""Transactions that are run again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from text2mem.adapters.transactions import Mended, NeedsWriteLock, transact
from text2mem.errors import AdapterError
from text2mem_bench.oracle.adapter import PlainAdapter


class _Counted(PlainAdapter):
    """An adapter that notes whether each of its transactions writes, and how many it has kept."""

    def __init__(self) -> None:
        super().__init__()
        self.tries: list[bool] = []
        self.kept = 0

    @contextmanager
    def transaction(self, *, write: bool = True) -> Iterator[None]:
        self.tries.append(write)
        with super().transaction(write=write):
            yield
        self.kept += 1


def test_a_row_that_breaks_again_and_again_is_an_error_of_the_store() -> None:
    adapter = _Counted()

    def body() -> None:
        raise Mended("store: a row is broken") if adapter.tries[-1] else NeedsWriteLock

    with pytest.raises(AdapterError, match="a row is broken"):
        transact(adapter, body, write=False)
    assert adapter.tries == [False, True, True] and not adapter.kept


@pytest.mark.parametrize("keep", [True, False])
def test_what_finds_something_due_is_run_again_with_the_write_lock(keep: bool) -> None:
    adapter = _Counted()

    def body() -> str:
        if not adapter.tries[-1]:
            raise NeedsWriteLock
        return "done"

    assert transact(adapter, body, keep=keep, write=False) == "done"
    assert adapter.tries == [False, True] and adapter.kept == keep
