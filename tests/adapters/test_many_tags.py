"""A filter, a Label and a memory may name any number of tags."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.growth import LINEAR, growth
from tests.properties.worlds import STORES
from text2mem.adapters.base import Adapter
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.executor import execute
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import ByFilter, ByIds, Content, Encode, Label, Retrieve

TAGS = tuple(f"t{number}" for number in range(1_500))


@pytest.mark.parametrize("store", STORES.values(), ids=STORES)
def test_a_memory_has_all_of_many_tags(store: Callable[[], Adapter]) -> None:
    adapter, context = store(), ExecutionContext()
    for tags in (TAGS, TAGS[:-1]):
        execute([Encode(content=Content("text", "x"), attributes={"tags": tags})], adapter, context)
    for limit in (None, 1):
        read = Retrieve(target=ByFilter(has_tags=TAGS, limit=limit))
        found = execute([read], adapter, context).results[0]
        assert ([row["id"] for row in found.rows], found.matched) == (["1"], 1)
    read = Retrieve(target=ByFilter(has_tags=TAGS[:-1], limit=1))
    found = execute([read], adapter, context).results[0]
    assert ([row["id"] for row in found.rows], found.matched) == (["2"], 2)
    adapter.close()


def test_many_tags_are_removed_in_linear_time() -> None:
    def removes(count: int) -> None:
        adapter, context = SqliteAdapter(), ExecutionContext()
        tags = tuple(f"t{number}" for number in range(2 * count))
        execute([Encode(content=Content("text", "x"), attributes={"tags": tags})], adapter, context)
        others = tuple(f"u{number}" for number in range(count))
        label = Label(target=ByIds(("1",)), tags=(*others, "t7"), mode="remove")
        (done,) = execute([label], adapter, context).results
        assert [change.field for change in done.changes] == ["tags"]
        adapter.close()

    assert growth(removes, 30_000) < LINEAR, "it grew as the product of both numbers"
