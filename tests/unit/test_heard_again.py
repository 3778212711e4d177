"""A fact that is heard again and again: what the journal keeps of it, and the way back."""

from __future__ import annotations

import json
from typing import Any

from tests.store.programs import fact
from text2mem import Memory
from text2mem.ir.patch import in_full, rewound
from text2mem.mirroring.migrating import migrate

TIMES = 40


def heard(memory: Memory, times: int = TIMES) -> list[str]:
    """The traces of the programs that have told the same fact, each by another source."""
    told = [fact("printer", "status", "ready", source=f"monitor {n}") for n in range(times)]
    return [memory.execute(each).checked().trace_id for each in told]


def held(memory: Memory) -> list[dict[str, Any]]:
    record = memory.show("1")
    assert record is not None
    return [dict(each) for each in record.sources]


def sources(memory: Memory) -> list[str]:
    return [each["source"] for each in held(memory)]


def test_the_journal_keeps_of_each_time_what_came_with_it(memory: Memory) -> None:
    heard(memory)
    entries = memory.history("1")
    assert len(entries) == len(sources(memory)) == TIMES
    sizes = [len(json.dumps(entry.as_dict())) for entry in entries[1:]]
    assert max(sizes) - min(sizes) < 20
    (change,) = entries[-1].changes
    assert change.before == {"kept": TIMES - 1, "then": []}
    assert in_full("sources", change.after, held(memory)) == held(memory)
    assert rewound(memory.show("1"), entries[-1].changes) == {"sources": held(memory)[:-1]}


def test_each_time_is_taken_back_by_itself(memory: Memory) -> None:
    traces = heard(memory, 4)
    refused = memory.undo(traces[1])
    assert refused.error is not None and refused.error.code == "undo-conflict"
    undone = memory.undo(traces[3]).checked()
    assert sources(memory) == [f"monitor {n}" for n in range(3)]
    memory.undo(undone.trace_id).checked()
    assert sources(memory) == [f"monitor {n}" for n in range(4)]
    for trace in reversed(traces[1:]):
        memory.undo(trace).checked()
    assert sources(memory) == ["monitor 0"]
    memory.undo(traces[0]).checked()
    assert memory.show("1") is None


def test_what_was_deleted_comes_back_with_all_that_it_was_heard_of(memory: Memory) -> None:
    heard(memory, 3)
    memory.delete("1")
    heard(memory, 2)
    for _ in range(3):
        memory.undo_last().checked()
    record = memory.show("1")
    assert record is not None and not record.deleted
    assert sources(memory) == [f"monitor {n}" for n in range(3)]


def test_it_moves_to_another_store_as_it_is(memory: Memory) -> None:
    memory.undo(heard(memory, 5)[-1]).checked()
    with Memory("memory:", context=memory.context) as other:
        moved = migrate(memory.adapter, other.adapter, memory.context)
        assert moved.hash_from == moved.hash_to
        assert sources(other) == sources(memory)
