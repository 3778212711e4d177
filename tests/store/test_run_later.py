"""A program that is run long after it was read."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from datetime import timedelta

import pytest

from tests.store.programs import NOW, context
from text2mem.adapters.base import Adapter
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.clock import FixedClock
from text2mem.executor import execute
from text2mem.ir.ops import (
    ByFilter,
    ByIds,
    Content,
    Delete,
    Encode,
    Expire,
    RelativeRange,
    Retrieve,
    Update,
)
from text2mem.ir.times.duration import Duration
from text2mem_bench.oracle.adapter import PlainAdapter

FAR = Duration(months=12 * 7973)
NEXT = RelativeRange("next", 7973, "years")


@pytest.mark.parametrize("adapter", [PlainAdapter, lambda: SqliteAdapter(":memory:")])
@pytest.mark.parametrize(
    "op",
    [
        Expire(target=ByIds(("1",)), ttl=FAR),
        Update(target=ByIds(("1",)), edits={"ttl": FAR}),
        Retrieve(target=ByFilter(time_range=NEXT)),
        Delete(target=ByIds(("1",)), time_range=NEXT),
    ],
)
def test_a_length_that_has_left_the_calendar_is_refused(
    adapter: Callable[[], Adapter], op: Expire | Update | Retrieve | Delete
) -> None:
    later = context(clock=FixedClock(NOW + timedelta(days=400)))
    note = Encode(content=Content("text", "a"))
    with closing(adapter()) as store:
        assert execute([note, note], store, context()).ok
        result = execute([note, op], store, later)
        assert result.error is not None
        assert (result.error.code, result.error.pointer) == ("out-of-calendar", "/1")
        assert store.active(later) == 2
        assert execute([op], store, context()).ok
