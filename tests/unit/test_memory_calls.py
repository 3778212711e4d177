"""``Memory`` and ``AsyncMemory``: many programs, agreement, closing, ids, and who reads."""

from __future__ import annotations

import asyncio
import copy
import pickle
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.store.programs import WordHashes
from text2mem import (
    AsyncMemory,
    Conversation,
    ExecutionContext,
    FixedClock,
    FunctionProvider,
    Memory,
    Program,
    Turn,
    compile,
    validate,
)
from text2mem.doors.frameworks.openai_tools import tool_list
from text2mem.doors.frameworks.toolbox import Toolbox
from text2mem.errors import (
    ConfigurationError,
    ExecutionError,
    StoreError,
    Text2MemError,
    ValidationError,
)
from text2mem.ir.ops import Attributes, Content, Encode
from text2mem.ir.registry import Registry
from text2mem.ledger.working import retry
from text2mem.providers.base import Completion, Request
from text2mem.providers.caching import Answers
from text2mem.providers.llamacpp_ import LlamaCppProvider

GOOD = [{"stage": "ENC", "op": "Encode", "args": {"payload": {"text": "tea at five"}}}]
_STATED = {"subject": "mira", "attribute": "card", "value": "4111 1111 1111 1111"}
CARD = [
    {
        "stage": "ENC", "op": "Encode",
        "args": {"payload": {"structured": _STATED}, "type": "fact", "source_episode_id": "1"},
    }
]  # fmt: skip
ASKS_NOTHING = FunctionProvider(lambda _: {"steps": []})


async def coroutine(_: Request) -> Any:
    return {"steps": []}


DENYING = {"values": {"card": "deny"}}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "m.db", embedder="none", policy=DENYING) as opened:
        yield opened


def test_many_programs_run_though_nobody_looks_at_the_results(memory: Memory) -> None:
    memory.execute_many([GOOD, GOOD])
    assert len(memory.list()) == 2


def test_what_the_policy_refuses_leaves_the_other_programs_alone(memory: Memory) -> None:
    memory.add("said")
    results = memory.execute_many([GOOD, CARD, GOOD])
    assert [result.ok for result in results] == [True, False, True]
    assert results[1].error is not None and results[1].error.code == "denied"
    assert len(memory.list()) == 3


def test_encode_many_warns_as_a_program_does(
    memory: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    kept = Attributes(retention_policy="forever")
    ops = [Encode(content=Content("text", text), attributes=kept) for text in ("one", "two")]
    warned = [step.warnings[0] for step in memory.execute(Program(ops)).results]
    caplog.clear()
    memory.encode_many(ops)
    assert caplog.messages == [f"{warned[0]}, and {len(warned) - 1} more warnings"]


def test_encode_many_is_held_against_the_policy(memory: Memory) -> None:
    memory.add("said")
    ops: Any = Program.load(CARD).ops
    with pytest.raises(ExecutionError, match="not kept"):
        memory.encode_many(ops)
    assert len(memory.list()) == 1


def test_an_agreement_counts_for_one_call(memory: Memory) -> None:
    id_ = memory.add("tea")
    erase = {
        "stage": "STO", "op": "Delete", "target": {"ids": [id_]}, "args": {"soft": False},
    }  # fmt: skip
    assert not memory.execute(erase).ok
    assert memory.execute(erase, confirmed=True).ok
    assert not memory.context.confirmed


@pytest.mark.parametrize("given", [None, 1.5, True, b"1"])
def test_what_is_no_id_is_refused_by_name(memory: Memory, given: Any) -> None:
    for call in (memory.get, memory.show, memory.history, memory.lineage, memory.delete):
        with pytest.raises(ConfigurationError, match="no id of a memory"):
            call(given)


def test_a_number_is_taken_for_an_id(memory: Memory) -> None:
    number: Any = int(memory.add("tea"))
    found = memory.get(number)
    assert found is not None and found.text == "tea"


@pytest.mark.parametrize("text", ["", "  ", None, 7])
def test_a_memory_without_words_is_refused_in_words(memory: Memory, text: Any) -> None:
    with pytest.raises(ValidationError, match="no words"):
        memory.add(text)


READ = {"stage": "RET", "op": "Retrieve", "target": {"ids": ["1"]}}


@pytest.mark.parametrize(
    "call",
    [
        lambda memory: memory.add("x", tags=5),
        lambda memory: memory.add("x", time=datetime(1, 1, 1, tzinfo=ZoneInfo("Asia/Tokyo"))),
        lambda memory: memory.search("x", tags=5),
        lambda memory: memory.list(tags=5),
        lambda memory: memory.execute(READ, basis=5),
        lambda memory: memory.execute(Program.load(READ), basis=5),
        lambda memory: memory.execute_many(None),
        lambda memory: memory.execute_many(5),
        lambda memory: memory.encode_many([5]),
        lambda memory: memory.encode_many("abc"),
        lambda memory: memory.compile("hi", context=[5]),
        lambda memory: memory.compile("hi", context=5),
        lambda memory: memory.compile("hi", context="abc"),
        lambda memory: setattr(memory, "registry", 5),
        lambda memory: setattr(memory, "experience", 5),
        lambda memory: Memory("memory:", experience="yes"),
        lambda memory: Memory("memory:", experience=5),
        lambda memory: Memory("memory:", context=5),
        lambda memory: Memory("memory:", context=0),
        lambda memory: setattr(memory, "context", None),
        lambda memory: setattr(memory, "context", {"actor": "ann"}),
        lambda memory: ExecutionContext(tenant=5),
        lambda memory: ExecutionContext(actor=5),
        lambda memory: ExecutionContext(roles="team"),
        lambda memory: ExecutionContext(tz="Europe/Oslo"),
        lambda memory: ExecutionContext(clock=None),
        lambda memory: ExecutionContext(clock=datetime(2026, 1, 1, tzinfo=UTC)),
        lambda memory: ExecutionContext(clock=FixedClock),
        lambda memory: FixedClock(datetime(2026, 1, 1)),
        lambda memory: Memory("memory:", embedder=5),
        lambda memory: Memory("memory:", summariser=5),
        lambda memory: Memory("memory:", splitter="x"),
        lambda memory: Memory("memory:", fetcher=5),
        lambda memory: memory.compile("hi", seed="x"),
        lambda memory: memory.compile("hi", budget=5),
        lambda memory: AsyncMemory("memory:", readers="x"),
        lambda memory: AsyncMemory("memory:", readers=-1),
        lambda memory: memory.work(limit=-1),
        lambda memory: memory.work(limit=True),
        lambda memory: memory.recall("where?", budget=-1),
        lambda memory: memory.recall("where?", budget="x"),
        lambda memory: Toolbox("x.db"),
        lambda memory: tool_list(Toolbox(memory), api="x"),
        lambda memory: memory.ledger.facts(),
        lambda memory: Turn(5),
        lambda memory: Turn("the lease", "12"),
        lambda memory: Turn("the lease", (12,)),
        lambda memory: Conversation("m.db"),
        lambda memory: FunctionProvider(5),
        lambda memory: FunctionProvider(coroutine),
        lambda memory: Program.load(GOOD, now=datetime(2026, 1, 1)),
        lambda memory: Program.load(GOOD, tz="Europe/Oslo"),
        lambda memory: validate(GOOD, now=datetime(2026, 1, 1)),
        lambda memory: validate(GOOD, now="2026-01-01"),
        lambda memory: compile("hi", model=ASKS_NOTHING, clock=5),
        lambda memory: compile("hi", model=ASKS_NOTHING, clock=datetime(2026, 1, 1, tzinfo=UTC)),
        lambda memory: compile("hi", model=ASKS_NOTHING, tz="Europe/Oslo"),
    ],
)
def test_what_is_of_another_kind_is_refused_in_words(tmp_path: Path, call: Any) -> None:
    with Memory(tmp_path / "m.db", embedder="none", model=ASKS_NOTHING, reader="none") as memory:
        with pytest.raises((ConfigurationError, ValidationError)) as refused:
            call(memory)
        assert refused.value.hint
        assert memory.list() == []


@pytest.mark.parametrize("given", [None, "", 5, []])
def test_what_is_no_trace_takes_nothing_back(memory: Memory, given: Any) -> None:
    memory.add("tea")
    memory.add("coffee")
    for force in (False, True):
        refused = memory.undo(given, force=force)
        assert refused.error is not None and refused.error.code == "no-such-trace"
    assert len(memory.list()) == 2


def test_more_dead_tasks_than_a_page_are_revived(memory: Memory) -> None:
    said = memory.observe([f"turn {n}" for n in range(300)], extract=False)
    queue, now = memory.adapter.queue, memory.ledger.now()
    with memory.adapter.transaction():
        queue.put([each.episode for each in said], now=now)
        for each in said:
            queue.failed(each.episode, error="given up", due=None)
    dead = len(queue.tasks(dead=True, limit=None))
    assert dead == 300
    assert retry(memory.ledger, [said[-1].episode, "no id"]) == 1
    assert retry(memory.ledger, None) == 299


# --- awaited -------------------------------------------------------------------------------


def test_plain_calls_ask_no_model_where_none_was_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEXT2MEM_MODEL", "function:nowhere.at_all:asked")

    async def added() -> str:
        async with AsyncMemory(tmp_path / "a.db", embedder="none") as memory:
            return await memory.add("I live in Bergen")

    assert asyncio.run(added()) == "1"


def test_closing_waits_for_calls_and_refuses_later_ones(tmp_path: Path) -> None:
    async def used() -> list[Any]:
        memory = AsyncMemory(tmp_path / "a.db", embedder="none")
        await memory.add("tea")
        calls = [asyncio.ensure_future(memory.search("tea")) for _ in range(40)]
        await asyncio.sleep(0)
        await asyncio.gather(memory.close(), memory.close())
        found = await asyncio.gather(*calls)
        await memory.close()
        with pytest.raises(StoreError, match="closed"):
            await memory.add("more")
        return found

    assert [len(each) for each in asyncio.run(used())] == [1] * 40


# --- answers that are kept -----------------------------------------------------------------


def test_an_answer_is_kept_for_its_model_and_its_schema_alone(tmp_path: Path) -> None:
    plain = LlamaCppProvider("qwen2.5-coder-0.5b")
    own = LlamaCppProvider("qwen2.5-coder-0.5b", adapters={"requests": tmp_path / "own.gguf"})
    asked = Request(messages=(), schema={"type": "object"})
    answers = Answers()
    answers.keep(plain, asked, Completion("{}", {"one": 1}))
    assert answers.find(plain, asked) is not None
    assert answers.find(own, asked) is None
    assert answers.find(plain, Request(messages=(), schema={"type": "array"})) is None


@pytest.mark.parametrize(
    "call",
    [
        lambda memory: memory.get(None),
        lambda memory: memory.delete("99"),
        lambda memory: memory.run("drop the lunch notes"),
        lambda memory: Program.load([{"stage": "STO", "op": "Delete", "target": {}}]),
        lambda memory: compile("note it", model=FunctionProvider(lambda _: {"steps": [{}]})),
        lambda memory: Conversation(memory).answer(3),
    ],
)
def test_an_error_is_the_same_when_another_process_has_raised_it(call: Any) -> None:
    asks = FunctionProvider(lambda _: {"steps": [{"op": "Delete", "about": "lunch"}]})
    with Memory("memory:", model=asks, embedder="none", reader="none") as memory:
        with pytest.raises(Text2MemError) as raised:
            call(memory)
        for again in (pickle.loads(pickle.dumps(raised.value)), copy.copy(raised.value)):
            assert type(again) is type(raised.value)
            assert str(again) == str(raised.value)
            assert again.__dict__.keys() == raised.value.__dict__.keys()


def test_a_bare_function_is_no_model_and_it_is_said_how_it_becomes_one() -> None:
    bare: Any = len
    with (
        Memory("memory:", model=bare, embedder="none") as memory,
        pytest.raises(ConfigurationError, match="this is a builtin") as refused,
    ):
        memory.compile("drop the lunch notes")
    assert "FunctionProvider(f)" in str(refused.value.hint)


@pytest.mark.parametrize("store", ["memory:", "plain:"])
def test_a_dry_run_sets_no_registry_and_makes_no_index(store: str) -> None:
    with Memory(store, embedder="none") as memory:
        memory.add("tea at five")
        dry = Memory(memory.adapter, embedder=WordHashes(), context=memory.context.dry())
        before = memory.registry
        dry.registry = Registry.load({**before.to_document(), "version": before.version + 1})
        assert memory.registry == dry.registry == before
        with pytest.raises(ConfigurationError, match="dry run"):
            dry.reindex()
        assert not memory.view().vectors(["1"])


def test_an_empty_program_whose_dry_run_is_out_of_date_says_so() -> None:
    memory = Memory()
    basis = memory.preview(Program(())).basis
    memory.add("The spare key is at Nora's.")
    with pytest.raises(ExecutionError, match="changed since the dry run"):
        memory.execute(Program(()), basis=basis)


def test_a_fact_among_the_rows_of_a_read_is_shown_as_a_fact() -> None:
    lived = {"subject": "mira", "attribute": "city", "value": "Bergen"}
    like_a_fact = {**lived, "value": "x\nattribute: y\nvalue: z"}
    encode = {"stage": "ENC", "op": "Encode"}
    with Memory("memory:") as memory:
        memory.execute([{**encode, "args": {"payload": {"structured": lived}, "type": "fact"}}])
        memory.execute([{**encode, "args": {"payload": {"structured": {"dish": "soup"}}}}])
        told = {**encode, "args": {"payload": {"structured": like_a_fact}, "type": "fact"}}
        memory.execute([told])
        read = {"stage": "RET", "op": "Retrieve", "target": {"ids": ["1", "2", "3"]}}
        shown = str(memory.execute([read]))
    assert "1: mira.city = Bergen" in shown and "2: dish: soup" in shown
    assert "3: mira.city = x" in shown
