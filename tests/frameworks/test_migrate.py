"""A store moved to another backend: the same memories, facts, journal and lineage."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from langgraph.store.memory import InMemoryStore

from tests.conformance.frameworks import agree, everything, langgraph
from tests.conformance.playing import BACKENDS, staged
from tests.conformance.test_exec import CASES, end
from tests.frameworks.test_mirrored import delete, encode, opened
from tests.postgres import fresh
from tests.store.programs import context, done, fact, find, merge, on, read
from text2mem import FixedClock, Memory
from text2mem.adapters.base import Adapter, Scope
from text2mem.adapters.mirrored.langgraph_ import LangGraphKeeper
from text2mem.adapters.mirrored.mirrored import Mirrored
from text2mem.adapters.postgres.adapter import PostgresAdapter
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.errors import ConfigurationError, ExecutionError
from text2mem.executor import undo
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import AllMemories
from text2mem.mirroring import import_items, migrate, migrating
from text2mem.running import run_program
from text2mem_bench.oracle.adapter import PlainAdapter

SOME = [id_ for number, id_ in enumerate(CASES) if number % 9 == 0]
"""Every ninth case: what its store holds at the end is moved."""
TARGETS: Mapping[str, Callable[..., Adapter]] = {
    "sqlite": lambda tenant="default": SqliteAdapter(tenant=tenant),
    "postgres": lambda tenant="default": PostgresAdapter(fresh().url, tenant=tenant),
}
"""Empty stores."""


@pytest.mark.parametrize(
    ("id_", "backend", "to"),
    [
        *((id_, "sqlite", "sqlite") for id_ in SOME),
        *((id_, "sqlite", "postgres") for id_ in SOME[::8]),
        *((id_, "postgres", "sqlite") for id_ in SOME[3::8]),
    ],
)
def test_what_a_case_leaves_is_the_same_after_a_move(id_: str, backend: str, to: str) -> None:
    case = CASES[id_]
    with staged(case, BACKENDS[backend]) as stage, ExitStack() as stack:
        for step in case["setup"]:
            stage.play(step, confirmed=True)
        stage.play(case["input"])
        for each in case.get("then", ()):
            stage.play(each["step"])
        source, context = end(stage, case)
        target = TARGETS[to](context.tenant)
        stack.callback(target.close)
        found = migrate(source, target, context)
        assert found.same, (found, id_)


@pytest.mark.parametrize(
    "make", [lambda: langgraph(":memory:", "default"), PlainAdapter, TARGETS["postgres"]]
)
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
        if isinstance(target, Mirrored):
            assert agree(target)


def test_a_journal_that_has_sources_in_full_is_the_same_after_a_move(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source, target = SqliteAdapter(":memory:"), SqliteAdapter(":memory:")
    memory = Memory(source, context=context())
    with monkeypatch.context() as patch:
        patch.setattr("text2mem.adapters.sql.journal.shortened", tuple)  # as older files have it
        for heard in ("one", "two"):
            done(memory, fact("ana", "phone", "1", source=heard))
    done(memory, fact("ana", "phone", "1", source="three"))
    for _ in range(2):
        moved = migrate(source, target, context())
        assert moved.same and moved.facts == 1 and moved.entries == 3
    source.close()
    target.close()


@pytest.mark.parametrize("to", TARGETS)
def test_an_interrupted_move_goes_on(to: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("text2mem.mirroring.migrating.BATCH", 2)
    source = SqliteAdapter()
    target = TARGETS[to]()
    calls = []

    def journal(*args: Any) -> None:
        calls.append(args)
        if len(calls) == 6:
            raise KeyboardInterrupt
        target.__class__.journal(target, *args)

    with opened(source) as memory, opened(target):
        for n in range(9):
            memory.execute([encode(f"number {n}")])
        monkeypatch.setattr(target, "journal", journal)
        with pytest.raises(KeyboardInterrupt):
            migrate(source, target, ExecutionContext())
        assert 0 < len(target.entries(ExecutionContext())) < 9
        monkeypatch.undo()
        assert migrate(source, target, ExecutionContext()).same


MARCH, APRIL, MAY = (datetime(2026, month, 1, tzinfo=UTC) for month in (3, 4, 5))


def lived(adapter: Adapter) -> None:
    """Three months: facts that end, a correction, lineage, an erasure, an undo, a task."""

    def at(now: datetime, *steps: Any) -> str:
        local = context(clock=FixedClock(now))
        with_clock = Memory(adapter, embedder="none", summariser="extractive", context=local)
        return done(with_clock, *steps).trace_id

    at(MARCH, encode("合同 on the shelf", tags=["%", "纸"], facets={"n": 1, "f": 1.0}),
       encode("two"), encode("three"), fact("Ann", "city", "Rome"))  # fmt: skip
    at(MARCH, encode("said", type="episode"), on("Lock", ["1"], mode="read_only"))
    at(APRIL, fact("Ann", "city", "Oslo"), on("Demote", ["2"], archive=True))
    at(APRIL, on("Update", ["4"], set={"valid_from": "2026-02-01T00:00:00Z"}))
    at(APRIL, merge("2", "3"), encode("part", lineage_parents=["2"]), encode("secret words"))
    gone = at(MAY, on("Delete", ["2"]))
    at(MAY, on("Delete", ["8"], soft=False), on("Expire", ["5"], ttl="P30D"))
    local = context(clock=FixedClock(MAY))
    assert undo(gone, adapter, local).ok
    with adapter.transaction():
        adapter.queue.put(["5", "6", "7"], now=MAY)
        adapter.queue.failed("6", error="the model is down", due=MAY + timedelta(hours=1))
        adapter.queue.failed("7", error="nothing can be read", due=None)


def told(adapter: Adapter) -> dict[str, Any]:
    """What can be asked of it."""
    memory = Memory(adapter, embedder="none", context=context(clock=FixedClock(MAY)))
    city = {"filter": {"attribute": "city"}}
    scope = Scope(context=memory.context, now=MAY, archived=True, deleted=True)
    rows = adapter.resolve(AllMemories(), scope).rows
    asked = [
        read(city, include=["value", "valid_from", "valid_to"], as_of="2026-03-15T00:00:00Z"),
        read(city, include=["value", "valid_from"], as_of="2026-02-15T00:00:00Z"),
        read(city, include=["value"], as_of="2026-03-15T00:00:00Z",
             known_at="2026-03-20T00:00:00Z"),
        read(find("合同 two part", limit=9), include=["text", "score"]),
        read({"filter": {"facets": {"n": 1, "f": 1.0}}}, include=["facets"]),
    ]  # fmt: skip
    return {
        "rows": {row.id: {**row.as_dict(), "updated_at": None, "version": 0} for row in rows},
        "reads": [done(memory, step).results[0].rows for step in asked],
        "journal": [(entry.as_dict(), entry.said) for entry in adapter.entries(memory.context)],
        "lineage": [memory.lineage(id_) for id_ in ("2", "7")],
        "tasks": [adapter.queue.tasks(dead=dead) for dead in (False, True)],
        "facts": {**memory.stats(), "bytes": None, "size": None},
    }


def test_there_and_back_again_everything_that_can_be_asked_is_the_same() -> None:
    first, server_, last = SqliteAdapter(), TARGETS["postgres"](), SqliteAdapter()
    with opened(first), opened(server_) as there, opened(last):
        lived(first)
        local = ExecutionContext(clock=FixedClock(MAY))
        before = told(first)
        assert [rows for rows in before["reads"] if rows] == before["reads"]
        for source, target in ((first, server_), (server_, last)):
            found = migrate(source, target, local)
            assert found.same and found.facts == 2
            assert found.entries == len(before["journal"])
            assert told(target) == before
            assert migrate(source, target, local) == found  # again is no error
        assert not any("secret" in str(part) for part in before["journal"])
        assert there.execute([encode("next")]).results[0].affected == ("9",)
        with pytest.raises(ConfigurationError, match="memories of its own"):
            migrate(last, server_, local)


def test_memories_behind_a_wide_gap_in_the_ids_move_too() -> None:
    source, target = SqliteAdapter(), SqliteAdapter()
    with opened(source) as memory, opened(target) as moved:
        memory.execute([encode("before the gap")])
        with source.transaction():
            source.reserve_ids(10_000)
        memory.execute([encode("after the gap")])
        assert migrate(source, target, ExecutionContext()).memories == 2
        assert [record.text for record in moved.list()] == ["after the gap", "before the gap"]


def test_a_tenant_moves_alone() -> None:
    url = fresh().url
    both = [PostgresAdapter(url, tenant=tenant) for tenant in ("a", "b")]
    target = SqliteAdapter(tenant="a")
    with opened(both[0], "a") as a, opened(both[1], "b") as b, opened(target, "a"):
        a.execute([encode("of a")])
        b.execute([encode("of b"), encode("more of b")])
        assert migrate(both[0], target, ExecutionContext(tenant="a")).memories == 1


def test_what_a_server_cannot_hold_is_named() -> None:
    source, target = SqliteAdapter(), TARGETS["postgres"]()
    with opened(source) as memory, opened(target) as moved:
        memory.execute([encode("fine"), encode("milk\x00tea")])
        memory.execute([encode("later")])
        with pytest.raises(ConfigurationError, match="memory 2: a text holds a NUL"):
            migrate(source, target, ExecutionContext())
        assert not moved.log()


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


@pytest.mark.parametrize("backend", [PlainAdapter, SqliteAdapter])
def test_an_import_that_fails_leaves_nothing(
    backend: Callable[[], Adapter], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = InMemoryStore()
    for key in ("one", "two"):
        store.put(("notes",), key, {"content": key})
    kept = []

    def failing(steps: Any, *given: Any) -> Any:
        if kept:
            raise ExecutionError("conflict", "the store refuses")
        kept.append(steps)
        return run_program(steps, *given)

    monkeypatch.setattr(migrating, "BATCH", 1)
    monkeypatch.setattr(migrating, "run_program", failing)
    with opened(backend()) as memory:
        with pytest.raises(ExecutionError, match="refuses"):
            import_items(LangGraphKeeper(store, ("notes",)), memory.adapter, ExecutionContext())
        assert kept and memory.log() == [] and memory.show("1") is None
        monkeypatch.undo()
        keeper = LangGraphKeeper(store, ("notes",))
        assert len(import_items(keeper, memory.adapter, ExecutionContext())) == 2
