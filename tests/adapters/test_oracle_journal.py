"""The journal of the plain model, and putting memories back into earlier states."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.adapters.plain_store import ALL, DAY, NOW, Store
from text2mem.adapters.base import Effect, Env, Touched
from text2mem.errors import ExecutionError
from text2mem.executor.prepared import Prepared
from text2mem.ir.context import ExecutionContext
from text2mem.ir.journal import Entry, Trail
from text2mem.ir.ops import ByFilter, BySearch, Content, Delete, Expire, Label, Merge
from text2mem.ir.patch import before, from_values, patched
from text2mem.ir.record import Record
from text2mem.ir.times.duration import Duration
from text2mem_bench.oracle.journal import write
from text2mem_bench.oracle.state import State


@pytest.fixture
def store() -> Store:
    return Store()


def entries(store: Store, **conditions: object) -> list[Entry]:
    return list(store.adapter.entries(store.context, **conditions))  # type: ignore[arg-type]


def image(record: Record) -> dict[str, object]:
    """Everything about a memory but when and how often it changed."""
    moving = ("version", "updated_at")
    return {name: value for name, value in record.as_dict().items() if name not in moving}


def test_an_entry_a_memory_newest_first(store: Store) -> None:
    store.context = ExecutionContext(actor="ann")
    store.step("t1", store.encode(Content("text", "one"), tags=("x",)))
    store.step("t1", store.encode(Content("text", "two")))
    store.now = NOW + DAY
    label = Label(target=ALL, tags=("y",))
    store.step("t2", store.run(label, "2", "1"), "Label")
    store.step("t3", store.run(label, "1"), "Label")  # it has the tag
    assert store.adapter.mark(store.context) == 4
    told = [(entry.seq, entry.trail.trace_id, entry.id, entry.kind) for entry in entries(store)]
    assert told == [
        (4, "t2", "2", "changed"),
        (3, "t2", "1", "changed"),
        (2, "t1", "2", "created"),
        (1, "t1", "1", "created"),
    ]
    newest = entries(store, limit=1)[0]
    assert (newest.at, newest.actor, newest.trail.op) == (NOW + DAY, "ann", "Label")
    assert [(c.field, c.before, c.after) for c in newest.changes] == [("tags", [], ["y"])]
    assert [entry.seq for entry in entries(store, trace_id="t1")] == [2, 1]
    assert [entry.seq for entry in entries(store, ids=("1",), after=1)] == [3]
    assert entries(store, ids=()) == []
    created = entries(store)[-1]
    values = {change.field: change.after for change in created.changes}
    assert values["text"] == "one" and "archived" not in values
    assert image(from_values("1", values, updated_at=NOW)) == {
        **image(store.row("1")),
        "tags": ["x"],
    }


def test_what_was_erased_or_anonymised_has_lost_its_values(store: Store) -> None:
    store.step("t1", store.encode(Content("text", "secret")))
    store.step("t1", store.encode(Content("text", "secret")))
    store.step("t1", store.encode(Content("text", "kept")))
    store.step("t2", store.run(Delete(target=ALL, soft=False), "1"), "Delete")
    ttl = Duration(seconds=60)
    store.step("t3", store.run(Expire(target=ALL, ttl=ttl, on_expire="anonymize"), "2"), "Expire")
    store.now = NOW + DAY
    store.step("t4", store.adapter.settle(store.env()), "tick")
    assert "secret" not in str(entries(store))
    told = [(entry.id, entry.kind, entry.forgotten) for entry in entries(store)]
    assert told == [
        ("2", "changed", True),
        ("2", "changed", True),
        ("1", "removed", True),
        ("3", "created", False),
        ("2", "created", True),
        ("1", "created", True),
    ]


def undo(store: Store, trace_id: str) -> list[Touched]:
    """What an undo of a program would put back: the newest entry first."""
    states: dict[str, tuple[Record | None, Record | None]] = {}
    for entry in entries(store, trace_id=trace_id):
        now = store.adapter._state.records.get(entry.id)
        _, later = states.get(entry.id, (now, now))
        if entry.kind == "created":
            states[entry.id] = (now, None)
        elif later is None:
            back = from_values(entry.id, before(entry.changes), updated_at=NOW)
            states[entry.id] = (now, back)
        else:
            states[entry.id] = (now, patched(later, before(entry.changes)))
    return list(states.values())


def test_a_program_is_undone_and_done_again(store: Store) -> None:
    for text in ("green tea", "black tea"):
        store.step("t1", store.encode(Content("text", text), tags=(text[:5],)))
    was = [image(store.row(i)) for i in "12"]
    store.step("t2", store.run(Merge(target=ALL, primary_id="1"), "2"), "Merge")
    store.step("t2", store.encode(Content("text", "oolong"), lineage_parents=("1",)))
    done = [image(store.row(i)) for i in "123"]
    store.now = NOW + DAY
    effect = store.step("t3", store.adapter.restore(undo(store, "t2"), store.env()), "undo")
    assert sorted(effect.affected) == ["1", "2", "3"]
    assert effect.created == ()
    assert [image(store.row(i)) for i in "12"] == was
    # The primary was changed twice and once more now: versions count on.
    assert (store.row("1").version, store.row("1").updated_at) == (4, NOW + DAY)
    assert store.ids(BySearch(query="oolong")) == []
    again = store.adapter.restore(undo(store, "t3"), store.env())
    assert again.created == ("3",)
    assert [image(store.row(i)) for i in "123"] == done
    assert store.text("next") == "4"


def test_the_ledger_follows_an_undo(store: Store) -> None:
    about = ByFilter(subject="Ann")
    store.step("t1", store.state("Rome", valid_from=NOW - 9 * DAY))
    store.now = NOW + DAY
    store.step("t2", store.state("Oslo", valid_from=NOW - 2 * DAY))
    store.now = NOW + 2 * DAY
    with pytest.raises(ExecutionError) as refused, store.adapter.transaction():
        # Only the first half: the old version open again beside the new one.
        store.adapter.restore([pair for pair in undo(store, "t2") if pair[1]], store.env())
    assert refused.value.code == "fact-overlap"
    store.step("t3", store.adapter.restore(undo(store, "t2"), store.env()), "undo")
    assert [store.row("1").valid_to, *store.ids(about)] == [None, "1"]
    # What was believed between the two is not forgotten.
    [row] = store.adapter.resolve(about, store.scope(known_at=NOW + DAY, as_of=NOW - 5 * DAY)).rows
    assert (row.id, row.valid_to) == ("1", NOW - 2 * DAY)
    assert store.ids(about, known_at=NOW + 2 * DAY) == ["1"]
    store.now = NOW + 3 * DAY
    store.adapter.restore(undo(store, "t3"), store.env())
    assert store.ids(about) == ["2"]
    assert store.ids(about, known_at=NOW + 2 * DAY) == ["1"]


class NotGoneOver(list[Entry]):
    """A journal that can be added to, and whose entries nobody looks at."""

    def __iter__(self) -> Iterator[Entry]:
        raise AssertionError("the journal was gone over")


def test_a_write_that_erases_nothing_does_not_go_over_the_journal() -> None:
    state = State()
    held = Record(id="1", text="one", created_at=NOW, updated_at=NOW)
    env = Env(context=ExecutionContext(said="note it"), now=NOW, services=Prepared())
    write(state, Trail("t1", 1, "Encode"), Effect(touched=((None, held),)), env)
    state.journal = NotGoneOver(state.journal)
    moved = replace(held, text="two")
    write(state, Trail("t2", 1, "Update"), Effect(touched=((held, moved),)), env)
    assert len(state.journal) == 2 and state.journal[1].said == "note it"
    gone = Effect(touched=((moved, None),), forgotten=frozenset({"1"}))
    with pytest.raises(AssertionError, match="gone over"):
        write(state, Trail("t3", 1, "Delete"), gone, env)


def test_words_go_with_what_they_brought_about() -> None:
    state = State()
    env = Env(context=ExecutionContext(said="note it"), now=NOW, services=Prepared())
    one, two = (Record(id=id_, text="x", created_at=NOW, updated_at=NOW) for id_ in "12")
    write(state, Trail("t1", 1, "Encode"), Effect(touched=((None, one), (None, two))), env)
    write(state, Trail("t2", 1, "Label"), Effect(touched=((two, replace(two, text="y")),)), env)
    erased = Effect(touched=((one, None),), forgotten=frozenset({"1"}))
    write(state, Trail("t3", 1, "Delete"), erased, env)
    write(state, Trail("t3", 2, "Label"), Effect(touched=((two, replace(two, text="z")),)), env)
    told = [(e.trail.trace_id, e.id, e.forgotten, e.said) for e in state.journal]
    assert told == [
        ("t1", "1", True, ""), ("t1", "2", False, ""), ("t2", "2", False, "note it"),
        ("t3", "1", True, ""), ("t3", "2", False, ""),
    ]  # fmt: skip
