"""Undo of the last program: which one that is, however often it is said."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.planning import note, step
from tests.store.programs import NOW, encode
from text2mem import Memory
from text2mem.clock import SetClock
from text2mem.executor import history
from text2mem.executor.history import Logged
from text2mem.executor.undo import last_program

ENDS = step("Expire", {"ids": ["$1"]}, ttl="P1D", on_expire="hard_delete")


def logged(*ops: str) -> list[Logged]:
    """Programs of one op each, the newest first, as a log has them; "t1" is the first."""
    return [
        Logged(trace_id=f"t{number}", at=None, actor=None, ops=((op, ("1",)),))  # type: ignore[arg-type]
        for number, op in reversed([*enumerate(ops, 1)])
    ]


@pytest.mark.parametrize(
    ("ops", "expected"),
    [
        ((), None),
        (("Encode",), "t1"),
        (("Encode", "Delete"), "t2"),
        (("Encode", "Delete", "Undo"), "t1"),
        (("Encode", "Delete", "Undo", "Undo"), None),
        (("Encode", "Delete", "Undo", "Label"), "t4"),
        (("Encode", "Delete", "Undo", "Label", "Undo"), "t1"),
        (("Undo",), None),
    ],
)
def test_the_last_program_is_the_newest_that_is_not_taken_back(
    ops: tuple[str, ...], expected: str | None
) -> None:
    assert last_program(logged(*ops)) == expected


def texts(memory: Memory) -> list[str]:
    rows = memory.execute(step("Retrieve", {"all": True})).results[0].rows
    return sorted(row["text"] for row in rows)


def assert_nothing_left(memory: Memory) -> None:
    """``undo_last`` returns a refusal, as ``undo`` does for a trace of no program."""
    for refused in (memory.undo_last(), memory.undo("no such trace")):
        assert not refused.ok and refused.error is not None
        assert refused.error.code == "no-such-trace"
    assert "no program to take back" in str(memory.undo_last())


def test_undo_after_undo_goes_back_step_by_step(memory: Memory) -> None:
    for text in ("one", "two", "three"):
        assert memory.execute(note(text)).ok
    assert memory.undo_last().ok
    assert memory.undo_last().ok
    assert texts(memory) == ["one"]
    memory.execute(note("four"))
    assert memory.undo_last().ok
    assert texts(memory) == ["one"]
    assert memory.undo_last().ok
    assert_nothing_left(memory)


def test_an_undo_that_is_said_again_says_that_nothing_is_left(memory: Memory) -> None:
    memory.execute(note("one"))
    for op in (step("Label", {"ids": ["1"]}, tags=["x"]), step("Delete", {"ids": ["1"]})):
        trace = memory.execute(op).trace_id
        back = memory.undo(trace).trace_id
        again = memory.undo(trace)
        assert again.error is not None and again.error.code == "undo-conflict"
        assert "taken back already" in again.error.hint and texts(memory) == ["one"]
        assert memory.undo(back).ok  # the program once more, which an undo takes back then
        assert memory.undo(trace).ok and texts(memory) == ["one"]


def test_what_goes_back_and_forth_is_taken_back_once_each(memory: Memory) -> None:
    memory.execute(note("the lease ends in May"))
    for mode in ("add", "remove"):
        memory.execute(step("Label", {"ids": ["1"]}, tags=["x"], mode=mode)).checked()
    for month in ("June", "May", "June"):
        memory.update("1", f"the lease ends in {month}").checked()
    for month in ("May", "June", "May"):
        memory.undo_last().checked()
        assert texts(memory) == [f"the lease ends in {month}"]
    for expected in (("x",), ()):
        memory.undo_last().checked()
        record = memory.show("1")
        assert record is not None and record.tags == expected
    memory.undo_last().checked()
    assert texts(memory) == []
    assert_nothing_left(memory)


def test_a_program_that_an_undo_brought_back_is_the_last_one_again(memory: Memory) -> None:
    memory.execute(note("one"))
    deleted = memory.execute(step("Delete", {"ids": ["1"]})).trace_id
    undone = memory.undo_last()
    assert memory.log()[0].undoes == deleted
    assert memory.undo(undone.trace_id).ok and texts(memory) == []
    assert memory.undo_last().ok and texts(memory) == ["one"]


def test_a_program_of_several_steps_is_taken_back_as_one(memory: Memory) -> None:
    memory.execute([note("one"), note("two"), step("Delete", {"ids": ["$1"]})])
    assert memory.undo_last().ok
    assert texts(memory) == []


def test_an_end_that_erases_comes_back_by_a_confirmed_undo_only(memory: Memory) -> None:
    memory.context = replace(memory.context, confirmed=False)
    memory.execute([note("one"), ENDS], confirmed=True)
    memory.execute(step("Update", {"ids": ["1"]}, set={"expire_at": None}))
    refused = memory.undo_last()
    assert refused.error is not None and refused.error.code == "needs-confirmation"
    assert memory.undo_last(confirmed=True).ok
    kept = memory.show("1")
    assert kept is not None and kept.expire_action == "hard_delete"


def test_a_memory_that_comes_back_only_to_be_erased_is_confirmed(memory: Memory) -> None:
    memory.context = replace(memory.context, confirmed=False)
    made = memory.execute([note("one"), ENDS], confirmed=True).trace_id
    undone = memory.undo(made)
    back = memory.undo(undone.trace_id)
    assert back.ok and texts(memory) == ["one"]
    undone = memory.undo(back.trace_id)
    memory.context = replace(memory.context, clock=SetClock(NOW + timedelta(days=2)))
    again = memory.undo(undone.trace_id)
    assert again.error is not None and again.error.code == "needs-confirmation"
    assert memory.undo(undone.trace_id, confirmed=True).ok
    memory.tick()
    assert memory.show("1") is None


def test_what_reads_and_what_was_tried_are_nothing_to_take_back(memory: Memory) -> None:
    memory.execute(note("one"))
    memory.execute(step("Retrieve", {"all": True}))
    memory.preview(note("two"))
    assert memory.undo_last().ok
    assert texts(memory) == []


def test_an_undo_by_its_trace_counts_as_one(memory: Memory) -> None:
    first = memory.execute(note("one"))
    memory.execute(note("two"))
    assert memory.undo(first.trace_id).ok
    assert texts(memory) == ["two"]
    # "two" was not taken back, and is the last program that stands.
    assert memory.undo_last().ok
    assert texts(memory) == []


def at(memory: Memory, minutes: int) -> Memory:
    """The memory, so long after the tests' instant."""
    clock = memory.context.clock
    assert isinstance(clock, SetClock)
    clock.at = NOW + timedelta(minutes=minutes)
    return memory


def test_what_the_clock_does_is_no_program_to_take_back(memory: Memory) -> None:
    pills = {"remind": {"at": (NOW + timedelta(minutes=1)).isoformat()}}
    offer = {"expire_at": (NOW + timedelta(minutes=2)).isoformat()}
    assert memory.execute([encode("pills", **pills), encode("offer", **offer)]).ok
    memory.execute(note("one"))
    assert len(at(memory, 1).tick().fired) == 1
    assert len(at(memory, 2).tick().expired) == 1
    assert memory.undo_last().ok
    assert texts(memory) == ["pills"]


def test_a_program_is_taken_back_however_often_the_clock_has_ticked_since(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "_BLOCK", 2)
    memory.execute([note("one"), note("two"), note("three")])
    memory.execute(encode("pills", remind={"rrule": "FREQ=HOURLY"}))
    memory.execute([note("four"), note("five"), note("six")])
    for hour in range(1, 10):
        assert at(memory, 60 * hour).tick().fired
    assert [len(programs.ops) for programs in memory.log()] == [1] * 9 + [3, 1, 3]
    assert memory.undo_last().ok
    assert texts(memory) == ["one", "pills", "three", "two"]


def test_what_another_actor_took_back_is_not_in_the_way(memory: Memory) -> None:
    ann = Memory(memory.adapter, context=replace(memory.context, actor="ann"), model="none")
    ann.execute(note("one")).checked()
    two = ann.add("two")
    back = memory.undo(ann.delete(two).trace_id).checked()
    memory.undo(back.trace_id).checked()  # it is deleted again
    assert ann.undo_last().ok and texts(ann) == ["one", "two"]
    memory.undo(ann.delete(two).trace_id).checked()
    assert ann.undo_last().ok and texts(ann) == ["one"]


def test_everybody_takes_back_their_own(memory: Memory) -> None:
    def of(actor: str | None) -> Memory:
        return Memory(memory.adapter, context=replace(memory.context, actor=actor), model="none")

    ann, bob = of("ann"), of("bob")
    ann.execute(encode("shared", read_perm_level="public", write_perm_level="open")).checked()
    ann.execute(note("of ann")).checked()
    assert bob.update("1", "changed").ok
    assert ann.undo_last().ok
    assert texts(ann) == ["changed"]
    assert_nothing_left(of(None))
    assert bob.undo_last().ok
    assert texts(ann) == ["shared"]
