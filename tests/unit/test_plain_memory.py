"""Add, search, get, list, update, delete: one line each, over programs that are journalled."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.planning import note
from tests.store.programs import NOW, WordHashes, opened
from text2mem import Memory
from text2mem.adapters.base import Scope, Selection
from text2mem.clock import FixedClock
from text2mem.errors import ConfigurationError, ExecutionError, ValidationError
from text2mem.ir.ops import Target


def later(memory: Memory, days: int) -> None:
    clock = FixedClock(NOW + timedelta(days=days))
    memory.context = replace(memory.context, clock=clock)


def test_what_is_added_is_there_word_for_word(memory: Memory) -> None:
    id_ = memory.add(
        "  The ferry leaves at 8:15. ", tags=("ferry", "travel"), time=NOW, facets={"pier": 4}
    )
    record = memory.get(id_)
    assert record is not None
    assert (record.text, record.tags) == ("  The ferry leaves at 8:15. ", ("ferry", "travel"))
    assert (record.time, record.facets) == (NOW, {"pier": 4})
    assert memory.get("99") is memory.get("no id") is None


def test_a_time_without_a_zone_is_one_in_the_callers(memory: Memory) -> None:
    memory.context = replace(memory.context, tz=ZoneInfo("Asia/Tokyo"))
    for time in (datetime(2026, 1, 1, 9), "2026-01-01T09:00:00"):
        record = memory.get(memory.add("The tide turns.", time=time, facets={"low": time}))
        assert record is not None and record.time == datetime(2026, 1, 1, tzinfo=UTC)
        assert record.facets == {"low": "2026-01-01T09:00:00"}


def test_every_change_is_a_program_that_can_be_taken_back(memory: Memory) -> None:
    id_ = memory.add("The gate is 4.")
    changed = memory.update(id_, "The gate is 5.")
    gone = memory.delete(id_)
    assert memory.get(id_) is None and memory.list() == []
    assert [entry.trail.op for entry in memory.history(id_)] == ["Encode", "Update", "Delete"]
    assert memory.undo(gone.trace_id).ok
    assert [each.text for each in memory.list()] == ["The gate is 5."]
    assert memory.undo(changed.trace_id).ok
    assert [each.text for each in memory.list()] == ["The gate is 4."]


def test_a_fact_is_told_its_new_value(memory: Memory) -> None:
    stated = {"subject": "Ann", "attribute": "city", "value": "Bern"}
    memory.execute({"stage": "ENC", "op": "Encode", "args": {"payload": {"structured": stated}}})
    (new,) = memory.update("1", "Chur").results[0].created
    record = memory.get(new)
    assert record is not None and record.value == "Chur"


def test_of_one_second_the_one_made_last_is_the_newest(memory: Memory) -> None:
    for n in range(5):
        memory.add(f"n{n}")
    assert [record.text for record in memory.list(limit=2)] == ["n4", "n3"]
    merge = {"stage": "STO", "op": "Merge", "target": {"filter": {"weight_gte": 0}}}
    assert memory.execute(merge, confirmed=True).ok
    assert [record.id for record in memory.list()] == ["5"]


def test_a_list_has_the_newest_first_and_keeps_to_its_tags(memory: Memory) -> None:
    for day, tags in enumerate((("a", "b"), "a", ())):
        later(memory, day)
        memory.add(f"note of day {day}", tags=tags)
    assert [each.id for each in memory.list()] == ["3", "2", "1"]
    assert [each.id for each in memory.list(limit=2)] == ["3", "2"]
    assert [each.id for each in memory.list(tags="a")] == ["2", "1"]
    assert [each.id for each in memory.list(tags=["a", "b"])] == ["1"]
    assert memory.list(tags="nobody") == []


@pytest.mark.parametrize("tag", ["cafe\u0301", "caf\u00e9", " tea "])
def test_a_tag_finds_what_it_was_given_to(memory: Memory, tag: str) -> None:
    memory.add("one cup", tags=tag)
    assert len(memory.list(tags=tag)) == len(memory.search("cup", tags=[tag])) == 1


@pytest.mark.parametrize("tags", [[1], [["tea"]], 7])
def test_what_is_no_tag_is_refused(memory: Memory, tags: Any) -> None:
    for call in (memory.list, lambda tags: memory.search("cup", tags=tags)):
        with pytest.raises(ValidationError, match="is no tag"):
            call(tags=tags)


def test_a_refusal_does_not_repeat_all_that_was_given(memory: Memory) -> None:
    texts: Any = ["a text"] * 5_000
    calls = (memory.add, memory.search, lambda each: memory.list(tags=[each]))
    for call in calls:
        with pytest.raises(ValidationError) as refused:
            call(texts)
        assert len(str(refused.value)) < 200


def test_a_search_takes_any_number_of_tags(memory: Memory) -> None:
    tags = [f"tag {number}" for number in range(1_200)]
    memory.add("all of them", tags=tags)
    memory.add("all but one", tags=tags[1:])
    assert [each.id for each in memory.search("all", tags=[*tags, tags[0]])] == ["1"]


def test_a_search_has_the_best_first_and_keeps_to_its_tags(memory: Memory) -> None:
    for number in range(30):
        memory.add(f"boat {number}: oars and sails", tags="even" if number % 2 == 0 else "odd")
    memory.add("the red boat shed", tags=("shed", "red"))
    found = memory.search("red boat shed", 3)
    assert len(found) == 3 and found[0].text == "the red boat shed"
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)
    assert str(found[0]) == "31: the red boat shed"
    assert [each.id for each in memory.search("boat", 5, tags="shed")] == ["31"]
    even = memory.search("red boat shed", 12, tags="even")
    assert len(even) == 12 and all(each.record.tags == ("even",) for each in even)
    assert memory.search("zeppelin") == []


def test_a_rare_tag_is_searched_without_a_look_at_what_lacks_it(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.execute_many([note(f"boat {number}: oars and sails") for number in range(300)])
    red = memory.add("a boat", tags=("red", "old"))
    memory.add("a boat house", tags=("red", "new"))
    memory.delete(memory.add("the boat that sank", tags=("red", "old")))
    looks: list[int] = []

    def resolve(target: Target, scope: Scope) -> Selection:
        found = resolved(target, scope)
        looks.append(len(found.rows))
        return found

    resolved = memory.adapter.resolve
    monkeypatch.setattr(memory.adapter, "resolve", resolve)
    assert [each.id for each in memory.search("boat", tags=["old", "red"])] == [red]
    assert memory.search("boat", tags=["old", "new"]) == memory.search("boat", tags="none") == []
    assert sum(looks) == 1


def test_a_search_by_meaning_keeps_to_its_tags(tmp_path: Path) -> None:
    with opened(tmp_path / "store.db", embedder=WordHashes()) as memory:
        memory.execute_many([note(f"crimson scarf {number}") for number in range(300)])
        memory.add("scarf", tags="mine")
        memory.add("hat", tags="mine")
        assert [each.text for each in memory.search("crimson scarf", tags="mine")] == ["scarf"]


def test_a_search_goes_by_meaning_where_there_are_vectors(tmp_path: Path) -> None:
    with opened(tmp_path / "store.db", embedder=WordHashes()) as memory:
        memory.add("crimson crimson scarf")
        memory.add("a hat")
        best, *_ = memory.search("crimson scarf")
        assert best.id == "1" and best.score > 0


def test_what_the_store_refuses_is_raised(memory: Memory) -> None:
    id_ = memory.add("A settled thing.")
    lock = {"stage": "STO", "op": "Lock", "target": {"ids": [id_]}, "args": {"mode": "read_only"}}
    assert memory.execute(lock).ok
    with pytest.raises(ExecutionError) as refused:
        memory.update(id_, "Another thing.")
    assert refused.value.code == "locked"
    with pytest.raises(ExecutionError) as unknown:
        memory.delete("99")
    assert unknown.value.code == "not-found"
    assert [each.text for each in memory.list()] == ["A settled thing."]


def test_what_is_no_legal_value_is_said(memory: Memory) -> None:
    with pytest.raises(ValidationError):
        memory.add("")
    with pytest.raises(ConfigurationError, match="k is 0"):
        memory.search("boat", 0)
    with pytest.raises(ConfigurationError, match="limit is -1"):
        memory.list(limit=-1)


def test_tenants_and_actors_see_their_own(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with opened(path, tenant="a", actor="ann") as memory:
        id_ = memory.add("Ann's secret boat")
    with opened(path, tenant="a", actor="bob") as memory:
        assert memory.get(id_) is None
        assert not memory.list() and not memory.search("boat")
        with pytest.raises(ExecutionError):
            memory.delete(id_)
    with opened(path, tenant="b") as memory:
        assert memory.get(id_) is None and memory.list() == []
