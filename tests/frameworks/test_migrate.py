"""A store moved to another backend: the same memories, facts, journal and lineage."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.memory import InMemoryStore

from tests.conformance.frameworks import agree, everything, langgraph
from tests.conformance.playing import BACKENDS, staged
from tests.conformance.test_exec import CASES, end
from tests.frameworks.test_mirrored import delete, encode, opened
from text2mem.adapters.memory import MemoryAdapter
from text2mem.adapters.mirrored.langgraph_ import LangGraphKeeper
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.errors import ConfigurationError
from text2mem.ir.context import ExecutionContext
from text2mem.mirroring import import_items, migrate

SOME = [id_ for number, id_ in enumerate(CASES) if number % 9 == 0]
"""Every ninth case: what its store holds at the end is moved."""


@pytest.mark.parametrize("id_", SOME)
def test_what_a_case_leaves_is_the_same_after_a_move(id_: str) -> None:
    case = CASES[id_]
    with staged(case, BACKENDS["sqlite"]) as stage, ExitStack() as stack:
        for step in case["setup"]:
            stage.play(step, confirmed=True)
        stage.play(case["input"])
        for each in case.get("then", ()):
            stage.play(each["step"])
        source, context = end(stage, case)
        target = SqliteAdapter(tenant=context.tenant)
        stack.callback(target.close)
        found = migrate(source, target, context)
        assert found.same, (found, id_)


@pytest.mark.parametrize("make", [lambda: langgraph(":memory:", "default"), MemoryAdapter])
def test_a_store_goes_to_another_backend_and_an_undo_works_on(make: Any) -> None:
    source, target = SqliteAdapter(), make()
    with opened(source) as memory, opened(target) as moved:
        memory.execute([encode("one", tags=["a"]), encode("two"), encode("gone")])
        trace = memory.execute([delete("2")]).trace_id
        merge = {"stage": "STO", "op": "Merge", "target": {"ids": ["1", "3"]}, "args": {}}
        assert memory.execute([merge]).ok
        assert migrate(source, target, ExecutionContext()).same
        assert moved.undo(trace).ok
        assert moved.lineage("1") == memory.lineage("1")
        assert moved.execute([encode("next")]).results[0].affected == ("4",)
        if not isinstance(target, MemoryAdapter):
            assert agree(target)


def test_an_interrupted_move_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("text2mem.mirroring.migrating.BATCH", 2)
    source = SqliteAdapter()
    target = SqliteAdapter(tmp_path / "to.db")
    calls = []

    def journal(*args: Any) -> None:
        calls.append(args)
        if len(calls) == 6:
            raise KeyboardInterrupt
        SqliteAdapter.journal(target, *args)

    with opened(source) as memory, opened(target):
        for n in range(9):
            memory.execute([encode(f"number {n}")])
        monkeypatch.setattr(target, "journal", journal)
        with pytest.raises(KeyboardInterrupt):
            migrate(source, target, ExecutionContext())
        assert 0 < len(target.entries(ExecutionContext())) < 9
        monkeypatch.undo()
        assert migrate(source, target, ExecutionContext()).same


def test_a_store_with_memories_of_its_own_is_refused() -> None:
    source, target = SqliteAdapter(), SqliteAdapter()
    with opened(source) as memory, opened(target) as other:
        memory.execute([encode("one")])
        other.execute([encode("two")])
        with pytest.raises(ConfigurationError, match="memories of its own"):
            migrate(source, target, ExecutionContext())


def test_a_framework_is_imported_as_it_is() -> None:
    store = InMemoryStore()
    store.put(("users", "mira"), "tea", {"content": "Mira drinks tea", "cups": 3})
    store.put(("users", "mira"), "prefs", {"theme": "dark"})
    keeper = LangGraphKeeper(store, ("users", "mira"))
    before = everything(keeper)
    with opened(SqliteAdapter()) as memory:
        ids = import_items(keeper, memory.adapter, ExecutionContext())
        rows = [memory.show(id_) for id_ in ids]
        assert {(row.text, row.source, *row.facets.items()) for row in rows if row} == {
            ("Mira drinks tea", "langgraph", ("cups", 3)),
            ('{"theme": "dark"}', "langgraph", ("theme", "dark")),
        }
    assert everything(keeper) == before
