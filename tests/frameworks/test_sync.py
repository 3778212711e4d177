"""What others change in a framework comes in by a sync: shown, journalled, and taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.memory import InMemoryStore

from tests.conformance.frameworks import agree, everything
from tests.frameworks.test_mirrored import SIDECARS, Failing, delete, encode, opened
from text2mem import Memory
from text2mem.adapters.mirrored.keeper import Item
from text2mem.adapters.mirrored.langgraph_ import LangGraphKeeper
from text2mem.adapters.mirrored.mirrored import Mirrored
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.clock import SetClock
from text2mem.errors import AdapterError, ConfigurationError
from text2mem.ir.context import ExecutionContext
from text2mem.ir.record import Record
from text2mem.mirroring import Synced, sync, syncing
from text2mem.running import run_program

SPACE = ("agents", "mira")


@pytest.fixture(params=SIDECARS)
def shared(request: pytest.FixtureRequest) -> Any:
    store = InMemoryStore()
    keeper = Failing(store, SPACE)
    with opened(Mirrored(SIDECARS[request.param](), keeper)) as memory:
        yield store, memory


class Meanwhile(LangGraphKeeper):
    """A framework, and somebody who does something once it was listed."""

    then: Callable[[], object] | None = None

    def scan(self) -> Sequence[Item]:
        found = super().scan()
        if self.then is not None:
            self.then()
        return found


def synced(memory: Memory, **context: Any) -> Synced:
    return sync(memory.adapter, ExecutionContext(**context))


def key_of(memory: Memory, id_: str) -> str:
    return memory.adapter.outbox.keys([id_])[id_]


def test_what_is_new_there_becomes_a_memory_and_keeps_its_key(shared: Any) -> None:
    store, memory = shared
    store.put(SPACE, "tea", {"text": "Mira drinks green tea", "cups": 3})
    store.put(SPACE, "prefs", {"theme": "dark"})
    store.put((*SPACE, "below"), "other", {"text": "somebody else's"})
    store.put(("agents", "miranda"), "other", {"text": "somebody else's"})

    shown = synced(memory, dry_run=True)
    assert (len(shown.new), memory.show("1"), store.get(SPACE, "tea").value.get("text2mem")) == (
        2, None, None,
    )  # fmt: skip
    found = synced(memory)
    assert len(found.new) == 2 and not found.changed and not found.gone
    texts = {memory.show(id_).text: memory.show(id_) for id_ in found.new}  # type: ignore[union-attr]
    assert set(texts) == {"Mira drinks green tea", '{"theme": "dark"}'}
    tea = texts["Mira drinks green tea"]
    assert tea is not None and (tea.source, tea.facets) == ("langgraph", {"cups": 3})
    held = store.get(SPACE, "tea").value
    assert (held["text"], held["cups"], held["text2mem"]["id"]) == (tea.text, 3, tea.id)
    assert store.get(SPACE, "prefs").value["theme"] == "dark"
    again = synced(memory)
    assert (again.new, again.changed, again.gone) == ((), (), ())
    assert agree(memory.adapter)
    assert memory.undo(found.trace_id).ok
    assert store.get(SPACE, "tea") is None


def test_what_was_changed_there_is_an_update(shared: Any) -> None:
    store, memory = shared
    memory.execute([encode("the key is at Nora's", tags=["keys"], topic="house")])
    key = key_of(memory, "1")
    value = store.get(SPACE, key).value
    store.put(SPACE, key, {**value, "text": "the key is at Olaf's"})
    shown = synced(memory, dry_run=True)
    assert shown.changed == ("1",) and memory.show("1").text == "the key is at Nora's"  # type: ignore[union-attr]
    found = synced(memory)
    record = memory.show("1")
    assert record is not None and found.changed == ("1",)
    assert (record.text, record.tags, record.topic) == ("the key is at Olaf's", ("keys",), "house")
    assert [entry.trail.op for entry in memory.history("1")] == ["Encode", "Update"]
    assert agree(memory.adapter)
    assert memory.undo(found.trace_id).ok
    assert store.get(SPACE, key).value["text"] == "the key is at Nora's"


def test_what_is_gone_there_is_deleted_and_comes_back_by_an_undo(shared: Any) -> None:
    store, memory = shared
    memory.execute([encode("one"), encode("two")])
    store.delete(SPACE, key_of(memory, "1"))
    found = synced(memory, confirmed=True)
    assert found.gone == ("1",)
    record = memory.show("1")
    assert record is not None and record.deleted
    assert memory.undo(found.trace_id).ok and agree(memory.adapter)


def test_a_framework_that_lost_everything_deletes_nothing_unasked(shared: Any) -> None:
    store, memory = shared
    memory.execute([encode(f"number {n}") for n in range(30)])
    for item in store.search(SPACE, limit=100):
        store.delete(SPACE, item.key)
    found = synced(memory)
    assert found.gone == () and len(found.refused) == 1
    assert memory.adapter.active(memory.context) == 30


@pytest.mark.parametrize(
    ("step", "texts"),
    [
        (encode("three"), ["one", "three", "two"]),
        (
            {
                "stage": "STO",
                "op": "Update",
                "target": {"ids": ["1"]},
                "args": {"set": {"text": "newer"}},
            },
            ["newer", "two"],
        ),
        (delete("1", soft=False), ["two"]),
    ],
    ids=["encoded", "updated", "erased"],
)
def test_what_another_process_does_meanwhile_stays(
    step: Any, texts: list[str], tmp_path: Path
) -> None:
    store, beside = InMemoryStore(), tmp_path / "side.db"
    keeper = Meanwhile(store, SPACE)
    with (
        opened(Mirrored(SqliteAdapter(beside), keeper)) as memory,
        opened(Mirrored(SqliteAdapter(beside), LangGraphKeeper(store, SPACE))) as other,
    ):
        memory.execute([encode("one"), encode("two")])
        keeper.then = lambda: other.execute([step])
        found = synced(memory, confirmed=True)
        assert (found.new, found.changed, found.gone) == ((), (), ())
        keeper.then = None
        assert sorted(item.text for item in everything(keeper).values()) == texts
        assert agree(memory.adapter)


def test_a_change_that_is_not_delivered_yet_is_not_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, beside = InMemoryStore(), tmp_path / "side.db"
    find, slow = Mirrored.find, Failing(store, SPACE)
    with (
        opened(Mirrored(SqliteAdapter(beside), LangGraphKeeper(store, SPACE))) as memory,
        opened(Mirrored(SqliteAdapter(beside), slow)) as other,
    ):
        memory.execute([encode("one"), encode("two")])

        def find_after_a_change(
            adapter: Mirrored, ids: Iterable[str], context: ExecutionContext
        ) -> dict[str, Record]:
            if not slow.down:
                slow.down = True  # what it has committed does not reach the framework yet
                target, args = {"ids": ["1"]}, {"set": {"text": "newer"}}
                other.execute([{"stage": "STO", "op": "Update", "target": target, "args": args}])
            return find(adapter, ids, context)

        monkeypatch.setattr(Mirrored, "find", find_after_a_change)
        found = synced(memory, confirmed=True)
        assert (found.new, found.changed, found.gone) == ((), (), ())
        assert memory.show("1").text == "newer"  # type: ignore[union-attr]
        slow.down = False


def test_a_lock_keeps_what_it_keeps(shared: Any) -> None:
    store, memory = shared
    memory.execute([
        encode("fixed"),
        {"stage": "STO", "op": "Lock", "target": {"ids": ["$1"]}, "args": {"mode": "read_only"}},
    ])  # fmt: skip
    key = key_of(memory, "1")
    store.put(SPACE, key, {**store.get(SPACE, key).value, "text": "loose"})
    found = synced(memory)
    assert found.changed == () and "locked" in found.refused[0].reason
    assert memory.show("1").text == "fixed"  # type: ignore[union-attr]


def test_values_that_are_no_memory_are_refused_with_their_reason(shared: Any) -> None:
    store, memory = shared
    store.put(SPACE, "odd", {"text": "fine", "text2mem": {"tags": "not a list"}})
    found = synced(memory)
    assert {each.key for each in found.refused} == {"odd"} and found.new == ()


def test_what_is_due_when_something_is_taken_in_is_erased_from_the_file(tmp_path: Path) -> None:
    store, clock = InMemoryStore(), SetClock(datetime(2026, 3, 4, tzinfo=UTC))
    context = ExecutionContext(clock=clock, confirmed=True)
    adapter = Mirrored(SqliteAdapter(tmp_path / "side.db"), LangGraphKeeper(store, SPACE))
    with Memory(adapter, embedder="none", context=context) as memory:
        memory.execute([encode("zanzibarquux")]).checked()
        args = {"ttl": "P1D", "on_expire": "hard_delete"}
        target = {"ids": ["1"]}
        memory.execute({"stage": "STO", "op": "Expire", "target": target, "args": args}).checked()
        clock.at += timedelta(days=2)
        store.put(SPACE, "tea", {"text": "Mira drinks green tea"})
        found = sync(adapter, context)
        assert len(found.new) == 1 and found.warnings == () and not adapter.erasing
    assert not any(b"zanzibarquux" in file.read_bytes() for file in tmp_path.iterdir())


def test_who_may_sync_and_what(shared: Any) -> None:
    _, memory = shared
    with pytest.raises(ConfigurationError, match="an actor may not"):
        synced(memory, actor="bob")
    with pytest.raises(ConfigurationError, match="mirrors no framework"):
        sync(SqliteAdapter(), ExecutionContext())
    memory.adapter.keeper.down = True
    memory.execute([encode("one")])
    with pytest.raises(AdapterError, match="not delivered"):
        synced(memory)


def test_a_framework_that_lost_all_of_ours_and_has_others_deletes_nothing_unasked(
    shared: Any,
) -> None:
    store, memory = shared
    memory.execute([encode("one"), encode("two")])
    for item in store.search(SPACE, limit=100):
        store.delete(SPACE, item.key)
    store.put(SPACE, "new", {"text": "of somebody else"})
    found = synced(memory)
    assert len(found.new) == 1 and found.gone == () and len(found.refused) == 1
    assert memory.adapter.active(memory.context) == 3


def test_a_lock_keeps_one_of_those_that_are_gone_and_no_other(shared: Any) -> None:
    store, memory = shared
    memory.execute([encode("one"), encode("two"), encode("three"), encode("four")])
    memory.execute([
        {"stage": "STO", "op": "Lock", "target": {"ids": ["2"]}, "args": {"mode": "read_only"}},
    ])  # fmt: skip
    keys = [key_of(memory, id_) for id_ in ("1", "2", "3")]
    for key in keys:
        store.delete(SPACE, key)
    found = synced(memory)
    assert found.gone == ("1", "3")
    assert [refusal.key for refusal in found.refused] == [keys[1]]
    assert memory.undo(found.trace_id).ok and memory.adapter.active(memory.context) == 4


def test_what_another_process_changes_while_others_are_deleted_is_kept(
    shared: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, memory = shared
    memory.execute([encode("one"), encode("two"), encode("three")])
    for id_ in ("1", "2"):
        store.delete(SPACE, key_of(memory, id_))

    def then_changed(*args: Any) -> Any:
        result = run_program(*args)
        if result.results[0].affected == ("1",):
            memory.update("2", "two, and more")
        return result

    monkeypatch.setattr(syncing, "run_program", then_changed)
    assert synced(memory, confirmed=True).gone == ("1",)
    record = memory.show("2")
    assert record is not None and not record.deleted and agree(memory.adapter)


def test_more_than_one_write_may_change_can_be_gone_with_a_yes() -> None:
    keeper = LangGraphKeeper(InMemoryStore(), SPACE)
    with opened(Mirrored(SqliteAdapter(), keeper)) as memory:
        memory.execute([encode(f"number {n}") for n in range(1_002)])
        keeper.remove([key_of(memory, str(n)) for n in range(1, 1_002)])
        (refused,) = synced(memory).refused
        assert refused.key == "1001 that are gone" and "--yes" in refused.reason
        assert len(synced(memory, confirmed=True).gone) == 1_001


@pytest.mark.parametrize("facets", [5, "red", ["red"]])
def test_an_item_with_malformed_facets_is_refused_and_ends_no_sync(
    shared: Any, facets: Any
) -> None:
    store, memory = shared
    store.put(SPACE, "odd", {"text": "odd", "text2mem": {"facets": facets}})
    store.put(SPACE, "plain", {"text": "plain", "text2mem": {"facets": None}, "cups": 3})
    found = synced(memory)
    assert [refusal.key for refusal in found.refused] == ["odd"]
    assert [memory.show(id_).facets for id_ in found.new] == [{"cups": 3}]  # type: ignore[union-attr]
