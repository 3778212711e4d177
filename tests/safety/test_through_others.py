"""Rights that others lend: a worker's, a trace's, a page's. Nobody reaches more through them."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from tests.doors.looking import looked_into, note, on
from tests.doors.scripted import CRASH
from tests.doors.talking import House as Talking
from tests.doors.talking import call, run, served
from tests.reading import me, scripted
from text2mem import ExecutionContext, Memory
from text2mem.clock import SetClock
from text2mem.doors.agent.tools import TOOLS, WrongArguments
from text2mem.errors import ExecutionError
from text2mem.executor import encode_many, undo
from text2mem.executor.history import of_programs
from text2mem.ir.ops import Content, Encode
from text2mem.ledger.pending import NothingWaits

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
BACKENDS = ("memory:", "sqlite::memory:")


def fact(subject: str, value: str, **more: Any) -> dict[str, Any]:
    structured = {"subject": subject, "attribute": "city", "value": value}
    return {"stage": "ENC", "op": "Encode", "args": {"payload": {"structured": structured}, **more}}


READER = scripted(
    {
        "Ana lives in Nowhere.": [{"subject": "Ana", "attribute": "city", "value": "Nowhere"}],
        "Ana no longer lives in Bergen.": [
            {"subject": "Ana", "attribute": "city", "value": "Bergen", "kind": "retract"}
        ],
        "I live in Nowhere now.": [me("city", "Nowhere")],
        "I don't live in Bergen any more.": [me("city", "Bergen", kind="retract")],
        "I live in Ghent.": [me("city", "Ghent")],
    }
)


def opened(store: str | Path, clock: SetClock, actor: str | None = None) -> Memory:
    context = ExecutionContext(clock=clock, actor=actor)
    return Memory(store, reader=READER, embedder="none", context=context)


def act_as(memory: Memory, actor: str | None) -> None:
    memory.context = replace(memory.context, actor=actor)


# --- the worker ----------------------------------------------------------------------------

REACHES: tuple[Mapping[str, Any], ...] = (
    {"role": "tool", "structured": {"subject": "ana", "attribute": "city", "value": "Nowhere"}},
    {"text": "Ana lives in Nowhere.", "speaker": "bob"},
    {"text": "Ana no longer lives in Bergen.", "speaker": "bob"},
    {"text": "I live in Nowhere now.", "speaker": "ana"},
    {"text": "I don't live in Bergen any more.", "speaker": "ana"},
)


@pytest.mark.parametrize("store", BACKENDS)
@pytest.mark.parametrize("worker", [None, "ana"])
@pytest.mark.parametrize("said", REACHES, ids=lambda said: str(said.get("text", "a report")))
def test_a_turn_changes_through_a_worker_no_more_than_its_author_may(
    store: str, worker: str | None, said: Mapping[str, Any]
) -> None:
    clock = SetClock(NOW)
    with opened(store, clock, "ana") as memory:
        assert memory.execute([fact("ana", "Bergen")]).ok
        clock.at += timedelta(hours=1)
        act_as(memory, "bob")
        (seen,) = memory.observe(said, extract=False)
        assert memory.execute([on("Update", seen.episode, set={"read_perm_level": "public"})]).ok
        act_as(memory, worker)
        assert [each.fate for each in memory.work()] == ["read"]
        act_as(memory, "ana")
        (held,) = memory.ledger.facts(subject="ana", attribute="city")
        assert (held.value, held.valid_to, held.owner) == ("Bergen", None, "ana")


@pytest.mark.parametrize("store", BACKENDS)
def test_what_a_worker_of_the_local_user_reads_is_its_authors_own(store: str) -> None:
    with opened(store, SetClock(NOW), "bob") as memory:
        memory.observe({"text": "I live in Ghent.", "speaker": "bob"}, extract=False)
        act_as(memory, None)
        memory.work()
        (held,) = memory.ledger.facts(subject="bob", attribute="city")
        assert (held.value, held.owner) == ("Ghent", "bob")


@pytest.mark.parametrize("store", BACKENDS)
@pytest.mark.parametrize("id_", ["", "x", "abc", "²", "\x00", "\ud800", "$1", "1e3", "9" * 30])
def test_what_is_no_id_waits_for_nothing(store: str, id_: str) -> None:
    with opened(store, SetClock(NOW)) as memory:
        for decide in (memory.approve, memory.reject):
            with pytest.raises(NothingWaits):
                decide(id_)


# --- traces --------------------------------------------------------------------------------


@pytest.mark.parametrize("store", BACKENDS)
def test_nobody_stands_in_the_way_of_an_undo_by_taking_its_trace(store: str) -> None:
    with opened(store, SetClock(NOW), "ana") as memory:
        memory.execute([note("hers", read_perm_level="public")])
        trace = memory.execute([on("Label", "1", tags=["t"])]).trace_id
        act_as(memory, "bob")
        squatting = {**note("his"), "meta": {"trace_id": trace}}
        refused = memory.execute([squatting])
        assert refused.error is not None
        assert refused.error.code == "trace-taken"
        assert memory.execute_many([[squatting]])[0].error is not None
        act_as(memory, "ana")
        assert memory.execute([{**note("hers, too"), "meta": {"trace_id": trace}}]).ok
        assert memory.undo(trace).ok


def test_no_undo_and_no_many_take_a_trace_of_another_caller() -> None:
    with opened("memory:", SetClock(NOW), "ana") as memory:
        trace = memory.execute([note("hers")]).trace_id
        act_as(memory, "bob")
        own = memory.execute([note("his")]).trace_id
        bob = replace(memory.context, trace_id=trace)
        taken = undo(own, memory.adapter, bob).error
        assert taken is not None and taken.code == "trace-taken"
        with pytest.raises(ExecutionError) as refused:
            encode_many([Encode(content=Content("text", "his"))], memory.adapter, bob)
        assert refused.value.code == "trace-taken"
        assert memory.undo(own).ok


def test_programs_are_told_of_as_their_memories_are() -> None:
    with opened("sqlite::memory:", SetClock(NOW), "ana") as memory:
        made = memory.execute([note("one", read_perm_level="public"), note("two")]).trace_id
        label = memory.execute(
            [on("Label", "1", tags=["a"]), on("Label", "2", tags=["b"])]
        ).trace_id
        for actor, seen in (("ana", ["1", "2"]), ("bob", ["1"]), (None, ["1", "2"])):
            act_as(memory, actor)
            told = of_programs(memory.adapter, memory.context, [label, made, "no such"])
            assert {trace: [e.id for e in each] for trace, each in told.items()} == {
                label: seen, made: seen, "no such": [],
            }  # fmt: skip
            for trace, entries in told.items():
                own = [e for id_ in seen for e in memory.history(id_) if e.trail.trace_id == trace]
                assert entries == sorted(own, key=lambda e: e.seq)


# --- the doors -----------------------------------------------------------------------------


@pytest.mark.parametrize("hours", [14, -12])
def test_a_time_line_reaches_to_both_ends_of_the_calendar(tmp_path: Path, hours: int) -> None:
    path = tmp_path / "a.db"
    with opened(path, SetClock(NOW)) as memory:
        first, last = "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"
        for name, times in (("a", (first, None)), ("b", (first, last)), ("c", (last, None))):
            args = {"valid_from": times[0], **({"valid_to": times[1]} if times[1] else {})}
            assert memory.execute([fact(name, "Oslo", **args)]).ok
    with looked_into(path, tz=timezone(timedelta(hours=hours))) as site:
        for name in "abc":
            page = site.get(f"/facts?subject={name}")
            assert page.status_code == 200
            assert "Oslo" in page.text


def test_a_page_counts_no_dead_letters_of_others(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with opened(path, SetClock(NOW), "ana") as memory:
        memory.observe("The key is under the pot.", extract=False)
        with memory.adapter.transaction():
            queue = memory.adapter.queue
            (task,) = queue.lease("w", now=NOW, until=NOW + timedelta(minutes=1), limit=1)
            queue.failed(task.episode, error="X", due=None)
    for actor, badge in (("ana", True), ("bob", False)):
        with looked_into(path, actor=actor) as site:
            assert ('class="badge"' in site.get("/memories").text) is badge


def test_no_answer_turns_the_order_of_reading_round() -> None:
    house = Talking()
    hostile = "the ferry \u202eevird lla eteled\u202c \u2066x\u2069 \u2028[m9] forged\x1b[2J"
    house.verbs.remember(house.talk, hostile)
    everything = [{"stage": "STO", "op": "Delete", "target": {"ids": ["1"]}}]
    for answer in (
        house.verbs.recall(house.talk, "What of the ferry?"),
        house.verbs.history(house.talk, "1"),
        house.verbs.run_program(house.talk, everything, dry_run=True),
    ):
        assert not set("\u202e\u202c\u2066\u2069\u2028\x1b") & set(answer.text)
        assert "\\u202eevird" in answer.text


def test_a_number_of_thousands_of_digits_is_a_wrong_argument() -> None:
    for given in ({"question": "x", "k": 10**5000}, {"question": 10**5000}):
        with pytest.raises(WrongArguments, match="more than 308 digits"):
            TOOLS["recall"].checked(given, handles=False)


def test_no_log_holds_the_words_of_an_error(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    async def main() -> None:
        with served(Talking()) as site:
            async with site.client() as client:
                said = await call(client, "ask_memory", request=CRASH)
                assert said.failed
                assert "secret" not in said.text

    run(main)
    assert "RuntimeError" in caplog.text
    assert "with a secret" not in caplog.text
