"""Transactions that are run again."""

from __future__ import annotations

import pytest

from text2mem.adapters.transactions import Mended, NeedsWriteLock, retry_as_writer
from text2mem.errors import AdapterError


def test_a_row_that_breaks_again_and_again_is_an_error_of_the_store() -> None:
    tries: list[bool] = []

    def attempt(write: bool) -> None:
        tries.append(write)
        raise Mended("store: a row is broken") if write else NeedsWriteLock

    with pytest.raises(AdapterError, match="a row is broken"):
        retry_as_writer(attempt)
    assert tries == [False, True, True]
