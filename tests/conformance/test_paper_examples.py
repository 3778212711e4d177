"""The two worked examples of section 3.2 of the Text2Mem paper, as printed, on both backends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.fixtures import cases
from text2mem.adapters.base import Adapter, Scope
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.clock import FixedClock
from text2mem.executor import execute
from text2mem.ir.context import ExecutionContext
from text2mem.ir.dialect import canonicalise
from text2mem.ir.ops import AllMemories
from text2mem.ir.record import Record
from text2mem.ir.result import ProgramResult
from text2mem.parser import parse
from text2mem.pipeline import validate
from text2mem_bench.oracle.adapter import PlainAdapter

NOW = datetime(2026, 8, 31, 8, 0, tzinfo=UTC)  # a Monday; six months later is no 31st
CONTEXT = ExecutionContext(clock=FixedClock(NOW))
PRINTED = {case["id"]: case["input"] for case in cases("ir/valid", "programs")}
PRIORITIZATION = PRINTED["paper-conditional-prioritization"]
INGESTION = PRINTED["paper-cross-modal-ingestion"]


@pytest.fixture(params=[SqliteAdapter, PlainAdapter])
def adapter(request: pytest.FixtureRequest) -> Iterator[Adapter]:
    make: Callable[[], Adapter] = request.param
    with closing(make()) as made:
        yield made


def run(document: Any, adapter: Adapter) -> ProgramResult:
    assert list(validate(document, now=NOW, tz=UTC)) == []
    result = execute(parse(canonicalise(document).instances, now=NOW, tz=UTC), adapter, CONTEXT)
    assert result.ok, result.error
    return result


def encode(text: str, *tags: str) -> dict[str, Any]:
    return {"stage": "ENC", "op": "Encode", "args": {"payload": {"text": text}, "tags": [*tags]}}


def rows(adapter: Adapter) -> dict[str, Record]:
    scope = Scope(context=CONTEXT, now=NOW, archived=True, deleted=True)
    return {row.text: row for row in adapter.resolve(AllMemories(), scope).rows}


def test_prioritization_of_an_empty_store_only_warns(adapter: Adapter) -> None:
    result = run(PRIORITIZATION, adapter)
    assert [step.op for step in result.results] == ["Promote", "Update", "Lock"]
    for step in result.results:
        assert (step.affected, step.changes) == ((), ())
        assert len(step.warnings) == 1
    assert rows(adapter) == {}


def test_prioritization_leaves_weight_reminder_permission_and_lock(adapter: Adapter) -> None:
    run(
        [
            encode("plan the move", "task"),
            encode("rent a van", "task", "subtask"),
            encode("ask Bo for boxes", "subtask"),
            encode("the new flat has a balcony"),
        ],
        adapter,
    )
    result = run(PRIORITIZATION, adapter)
    assert [len(step.affected) for step in result.results] == [2, 2, 1]
    assert [step.warnings for step in result.results] == [(), (), ()]

    after = rows(adapter)
    task, both = after["plan the move"], after["rent a van"]
    for row in (task, both):
        assert row.weight == 0.8
        assert row.remind_rrule == "FREQ=WEEKLY;BYDAY=MO"
        assert row.remind_until is None
        assert row.remind_next == datetime(2026, 9, 7, 8, 0, tzinfo=UTC)
        assert row.write_perm_level == "owner_only"
    assert both.lock_mode == "append_only"
    assert both.lock_reason == "team allowed to append updates"
    assert both.lock_expires is None
    assert task.lock_mode is None
    for text in ("ask Bo for boxes", "the new flat has a balcony"):
        row = after[text]
        assert (row.weight, row.remind_rrule, row.lock_mode) == (0.5, None, None)
        assert (row.write_perm_level, row.version) == (None, 1)


def test_ingestion_runs_on_an_empty_store_without_a_warning(adapter: Adapter) -> None:
    result = run(INGESTION, adapter)
    assert [step.warnings for step in result.results] == [(), (), ()]
    [id_] = result.results[0].created
    assert [step.affected for step in result.results[1:]] == [(id_,), (id_,)]

    [paper] = rows(adapter).values()
    assert paper.id == id_
    assert paper.payload["url"] == "https://example.org/paper.pdf"
    assert paper.type == "reference"
    assert paper.tags == ("paper", "reference")
    assert (paper.read_perm_level, paper.write_perm_level) == ("team", "maintainer")
    assert paper.expire_at == datetime(2027, 2, 28, 8, 0, tzinfo=UTC)
    assert paper.expire_action == "demote"
    assert (paper.weight, paper.archived, paper.deleted) == (0.5, False, False)


def test_ingestion_takes_along_what_already_carries_both_tags(adapter: Adapter) -> None:
    run(
        [
            encode("an older paper", "reference", "paper"),
            encode("a paper plane", "paper"),
            encode("rent a van", "task", "subtask"),
        ],
        adapter,
    )
    result = run(INGESTION, adapter)
    assert [len(step.affected) for step in result.results] == [1, 2, 2]
    after = rows(adapter)
    older = after["an older paper"]
    assert (older.read_perm_level, older.expire_action) == ("team", "demote")
    for text in ("a paper plane", "rent a van"):
        assert (after[text].read_perm_level, after[text].expire_at) == (None, None)


def test_the_ingested_paper_fades_after_six_months(adapter: Adapter) -> None:
    run(INGESTION, adapter)
    later = ExecutionContext(clock=FixedClock(datetime(2027, 2, 28, 8, 0, tzinfo=UTC)))
    before = ExecutionContext(clock=FixedClock(datetime(2027, 2, 28, 7, 59, 59, tzinfo=UTC)))
    for context, weight, archived in ((before, 0.5, False), (later, 0.2, True)):
        read = {
            "stage": "RET",
            "op": "Retrieve",
            "target": {"by_tags": ["paper"]},
            "args": {"include": ["weight"], "include_archived": True},
        }
        ops = parse(canonicalise(read).instances, now=NOW, tz=UTC)
        [step] = execute(ops, adapter, context).results
        assert [row["weight"] for row in step.rows] == [weight]
        hidden = {**read, "args": {"include": ["weight"]}}
        ops = parse(canonicalise(hidden).instances, now=NOW, tz=UTC)
        [step] = execute(ops, adapter, context).results
        assert step.rows == () if archived else len(step.rows) == 1
