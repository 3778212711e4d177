"""One open store, used by several threads, and after it was closed."""

from __future__ import annotations

import gc
import sqlite3
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

import pytest

from tests.store.programs import WordHashes
from text2mem import Memory
from text2mem.adapters.base import Adapter
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.adapters.sqlite.database import pragma
from text2mem.errors import ConfigurationError, StoreError
from text2mem_bench.oracle.adapter import PlainAdapter

NOTES = 60


@pytest.fixture(params=["file", "sqlite", "dict"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Memory:
    stores: dict[str, Callable[[], Path | Adapter]] = {
        "file": lambda: tmp_path / "shared.db",
        "sqlite": SqliteAdapter,
        "dict": PlainAdapter,
    }
    return Memory(stores[request.param](), embedder="none")


def _all(*works: Callable[[], None]) -> list[BaseException]:
    failed: list[BaseException] = []

    def run(work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            failed.append(error)

    threads = [Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failed


def test_what_several_threads_add_is_all_kept_as_it_was_said(memory: Memory) -> None:
    kept: dict[str, str] = {}

    def adding(who: str) -> Callable[[], None]:
        def work() -> None:
            for number in range(NOTES):
                text = f"note {number} of {who}"
                id_ = memory.add(text)
                assert id_ not in kept
                kept[id_] = text

        return work

    def refused() -> None:
        for _ in range(NOTES):
            gone = {"stage": "STO", "op": "Delete", "target": {"ids": ["99999"]}}
            assert not memory.execute(gone).ok

    def searching() -> None:
        for _ in range(NOTES):
            memory.search("note")

    with memory:
        assert _all(adding("Ana"), adding("Ben"), refused, searching) == []
        assert len(kept) == 2 * NOTES
        assert {each.id: each.text for each in memory.list(limit=9 * NOTES)} == kept


def test_several_threads_recall_and_search_by_vectors(tmp_path: Path) -> None:
    with Memory(tmp_path / "shared.db", embedder=WordHashes()) as memory:
        for number in range(NOTES):
            memory.add(f"note {number} on the {'boat' if number % 2 else 'shed'}")

        def asking(who: str) -> Callable[[], None]:
            def work() -> None:
                for number in range(NOTES):
                    memory.recall(f"what of {who} and note {number}?")
                    assert memory.search(f"{who} and note {number} on the boat")

            return work

        def adding() -> None:
            for number in range(NOTES):
                memory.add(f"another {number}")

        assert _all(asking("Ana"), asking("Ben"), adding) == []


def test_what_another_thread_has_not_committed_is_not_rolled_back_with_it(memory: Memory) -> None:
    inside, go_on = Event(), Event()

    def failing() -> None:
        with memory.adapter.transaction():
            inside.set()
            go_on.wait(10)
            raise KeyError

    added: list[str] = []

    def adding() -> None:
        inside.wait(10)
        go_on.set()
        added.append(memory.add("mine"))

    with memory:
        failed = _all(failing, adding)
        assert [type(each) for each in failed] == [KeyError]
        found = memory.get(added[0])
        assert found is not None and found.text == "mine"


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "closed.db", embedder="none")
    memory.close()
    memory.close()
    calls: tuple[Callable[[], object], ...] = (
        lambda: memory.add("x"), lambda: memory.search("x"), memory.stats, memory.tick,
    )  # fmt: skip
    for call in calls:
        with pytest.raises(StoreError, match="has been closed"):
            call()


def test_a_store_that_nobody_holds_any_more_is_closed(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "dropped.db", embedder="none")
    memory.add("x")
    assert isinstance(memory.adapter, SqliteAdapter)
    connection = memory.adapter._store.connection
    del memory
    gc.collect()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute("SELECT 1")


def test_a_wrong_synchronous_is_no_damaged_file(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with pytest.raises(ConfigurationError, match="synchronous='OFF'"):
        SqliteAdapter(path, synchronous="OFF")
    assert not path.exists()


def test_a_store_that_is_opened_again_has_its_settings(tmp_path: Path) -> None:
    first = SqliteAdapter(tmp_path / "a.db", synchronous="FULL", vector_index="exact")
    assert first.again is not None
    other = first.again("default")
    assert isinstance(other, SqliteAdapter)
    durable = [pragma(each._store.connection, "synchronous") for each in (first, other)]
    assert durable == [2, 2]
    other.close()
    first.close()
