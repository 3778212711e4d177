"""The journal is read from its end, in blocks, and no further than what is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby

import pytest

from text2mem import Memory
from text2mem.adapters.base import Adapter
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.executor import history
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import Content, Encode
from text2mem_bench.oracle.adapter import PlainAdapter

LOCAL = ExecutionContext()
BIGGEST = 9


def notes(count: int) -> list[Encode]:
    return [Encode(content=Content("text", f"note {number}")) for number in range(count)]


@pytest.fixture(params=["plain", "sqlite"])
def memory(request: pytest.FixtureRequest) -> Iterator[Memory]:
    adapter: Adapter = PlainAdapter() if request.param == "plain" else SqliteAdapter(":memory:")
    with Memory(adapter) as opened:
        for count in (1, 2, BIGGEST, 1, 1, 3, BIGGEST, 1):
            opened.encode_many(notes(count))
        opened.undo_last()
        yield opened


@pytest.mark.parametrize("block", [1, 2, 3, 5, 512])
def test_a_log_is_the_same_whatever_is_read_at_once(
    memory: Memory, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "_BLOCK", block)
    entries = memory.adapter.entries(LOCAL)
    wanted = [
        (trace, tuple(dict.fromkeys(each.id for each in reversed([*found]))))
        for trace, found in groupby(entries, key=lambda each: each.trail.trace_id)
    ]
    assert len(wanted) == 9 and len(wanted[2][1]) == BIGGEST
    for limit in range(1, 11):
        found = history.log(memory.adapter, LOCAL, limit=limit)
        assert [(each.trace_id, each.ids) for each in found] == wanted[:limit]


def test_entries_before_one(memory: Memory) -> None:
    entries = memory.adapter.entries(LOCAL)
    for place in (0, 5, len(entries) - 1):
        before = entries[place].seq
        assert memory.adapter.entries(LOCAL, before=before) == entries[place + 1 :]
        assert memory.adapter.entries(LOCAL, before=before, limit=2) == entries[place + 1 :][:2]
        ids = [each.id for each in entries[:3]]
        assert memory.adapter.entries(LOCAL, before=before, ids=ids) == [
            each for each in entries[place + 1 :] if each.id in ids
        ]


def work(adapter: SqliteAdapter, act: Callable[[], object]) -> int:
    """How many hundreds of instructions SQLite carries out."""
    done = 0

    def count() -> int:
        nonlocal done
        done += 1
        return 0

    connection = adapter._store.connection
    connection.set_progress_handler(count, 100)
    act()
    connection.set_progress_handler(None, 0)
    return done


def test_the_last_entries_and_those_of_a_memory_are_no_more_work_in_a_long_journal() -> None:
    adapter = SqliteAdapter(":memory:")
    with Memory(adapter) as memory:
        reads: list[Callable[[], object]] = [
            lambda: adapter.entries(LOCAL, limit=20),
            lambda: adapter.entries(LOCAL, ids=["7", "8"]),
            lambda: adapter.entries(LOCAL, ids=["7", "8"], after=1),
            lambda: adapter.entries(LOCAL, trace_id="none"),
        ]
        memory.encode_many(notes(100))
        short = [work(adapter, read) for read in reads]
        memory.encode_many(notes(5000))
        long = [work(adapter, read) for read in reads]
    assert all(after <= before + 10 for before, after in zip(short, long, strict=True)), (
        short,
        long,
    )
