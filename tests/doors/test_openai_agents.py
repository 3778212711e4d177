"""The tools and the session in runs of the OpenAI Agents SDK, with a scripted model."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import pytest
from agents import Agent, RunConfig, Runner, SessionSettings
from agents.memory import Session

from examples.openai_agents_session import Scripted, confirming
from tests.doors import scripted
from tests.doors.frameworks import opened
from tests.doors.scripted import FORGET, NOTE
from text2mem.adapters.sql import codec, store
from text2mem.clock import SetClock
from text2mem.doors.frameworks.openai_agents import Text2MemSession, function_tools
from text2mem.doors.frameworks.toolbox import Toolbox
from text2mem.errors import ConfigurationError, ExecutionError, ValidationError
from text2mem.ir.context import ExecutionContext
from text2mem.memory import Memory

PRIVATE = RunConfig(tracing_disabled=True)
T = TypeVar("T")
ITEMS: list[Any] = [
    {"role": "user", "content": "What is in the picture?"},
    {"role": "user", "content": [
        {"type": "input_text", "text": "And here?"},
        {"type": "input_image", "image_url": "data:image/png;base64,AAAA", "detail": "auto"},
    ]},
    {"role": "user", "content": [{"type": "input_image", "image_url": "https://a.example/b.png"}]},
    {"role": "developer", "content": "Be short."},
    {"type": "reasoning", "id": "r1", "summary": []},
    {"type": "function_call", "call_id": "c1", "name": "recall", "arguments": "{\"k\": 1}"},
    {"type": "function_call_output", "call_id": "c1", "output": "Nothing is known about this."},
    {"id": "m1", "type": "message", "role": "assistant", "status": "completed", "content": [
        {"type": "output_text", "text": "A boat.", "annotations": []},
    ]},
    {"role": "assistant", "content": " "},
]  # fmt: skip


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with opened(tmp_path / "agent.db") as memory:
        yield memory


def run(main: Callable[[], Awaitable[T]]) -> T:
    async def awaited() -> T:
        return await main()

    return asyncio.run(awaited())


def agent_of(memory: Memory, script: list[Any], **options: Any) -> tuple[Agent[Any], Scripted]:
    model = Scripted(script)
    tools = list(function_tools(Toolbox(memory), **options))
    return Agent(name="assistant", model=model, tools=tools), model


def test_an_agent_calls_the_tools_and_reads_what_they_say(memory: Memory) -> None:
    script = [
        ("remember", {"text": NOTE}),
        ("recall", {"question": "ferry"}),
        ("recall", {}),
        "Ok.",
    ]
    agent, model = agent_of(memory, script)
    result = run(lambda: Runner.run(agent, "Remember the ferry.", run_config=PRIVATE))
    assert result.final_output == "Ok."
    told = [
        item["output"] for item in model.given[-1] if item.get("type") == "function_call_output"
    ]
    assert "made memory 1" in told[0] and NOTE in told[1] and "required property" in told[2]


def test_a_session_carries_a_conversation_over_to_another_process(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    with opened(path) as memory:
        agent, _ = agent_of(memory, [("remember", {"text": NOTE}), "Noted."])
        session = Text2MemSession("monday", memory)
        assert isinstance(session, Session)
        run(lambda: Runner.run(agent, "Remember it.", session=session, run_config=PRIVATE))
    with opened(path) as memory:
        agent, model = agent_of(memory, ["You are welcome."])
        session = Text2MemSession("monday", memory)
        run(lambda: Runner.run(agent, "Thanks!", session=session, run_config=PRIVATE))
        (given,) = model.given
        kinds = [item.get("type", item.get("role")) for item in given]
        assert kinds == ["user", "function_call", "function_call_output", "message", "user"]
        assert given[0] == {"role": "user", "content": "Remember it."}


def test_a_person_approves_what_is_confirmed_while_the_session_writes(memory: Memory) -> None:
    Toolbox(memory).call("remember", {"text": NOTE})
    agent, _ = agent_of(memory, [("ask_memory", {"request": FORGET}), confirming, "Gone."],
                        approve=True)  # fmt: skip
    session = Text2MemSession("monday", memory)

    async def main() -> str:
        result = await Runner.run(agent, FORGET, session=session, run_config=PRIVATE)
        (asked,) = result.interruptions
        assert asked.name == "confirm"
        assert (kept := memory.show("1")) is not None and not kept.deleted
        state = result.to_state()
        state.approve(asked)
        done = await Runner.run(agent, state, session=session, run_config=PRIVATE)
        return str(done.final_output)

    assert run(main) == "Gone."
    assert (gone := memory.show("1")) is not None and gone.deleted


def test_a_yes_in_words_is_approved_by_a_person_too(memory: Memory) -> None:
    Toolbox(memory).call("remember", {"text": NOTE})

    def yes(given: Any) -> Any:
        return "ask_memory", {"request": "yes", "confirm_token": confirming(given)[1]["token"]}

    agent, _ = agent_of(memory, [("ask_memory", {"request": FORGET}), yes], approve=True)
    result = run(lambda: Runner.run(agent, FORGET, run_config=PRIVATE))
    (asked,) = result.interruptions
    assert asked.name == "ask_memory"
    assert (kept := memory.show("1")) is not None and not kept.deleted


def test_items_come_back_exactly_and_in_order(memory: Memory) -> None:
    session = Text2MemSession("monday", memory)

    async def main() -> None:
        await session.add_items(ITEMS[:3])
        await session.add_items([])
        await session.add_items(ITEMS[3:])
        assert await session.get_items() == ITEMS
        assert await session.get_items(2) == ITEMS[-2:]
        assert await session.get_items(99) == ITEMS
        assert await session.get_items(0) == []
        assert await session.pop_item() == ITEMS[-1]
        assert await session.get_items(1) == [ITEMS[-2]]
        few = Text2MemSession("monday", memory, session_settings=SessionSettings(limit=3))
        assert await few.get_items() == ITEMS[-4:-1]
        assert await few.get_items(1) == [ITEMS[-2]]

    run(main)
    assert len(memory.log()) == 3


def test_the_last_items_alone_are_read(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    session = Text2MemSession("long", memory)
    items: list[Any] = [{"role": "user", "content": f"line {number}"} for number in range(50)]
    run(lambda: session.add_items(items))
    read: list[Any] = []

    def counted(row: Any) -> Any:
        read.append(row)
        return codec.from_row(row)

    monkeypatch.setattr(store, "from_row", counted)
    assert run(lambda: session.get_items(limit=3)) == items[-3:]
    assert len(read) == 3
    assert run(session.pop_item) == items[-1]
    assert run(lambda: session.get_items(limit=0)) == []
    assert len(read) < 10


def test_items_keep_their_order_where_the_clock_goes_back() -> None:
    clock = SetClock(datetime(2026, 6, 1, 9, tzinfo=UTC))
    context = ExecutionContext(clock=clock)
    with Memory("memory:", context=context, embedder="none", reader="none") as memory:
        session = Text2MemSession("s", memory)
        items: list[Any] = [{"role": "user", "content": f"line {number}"} for number in range(3)]

        async def add() -> None:
            for item in items:
                await session.add_items([item])
                clock.at -= timedelta(hours=1)

        run(add)
        assert run(session.get_items) == items
        assert run(lambda: session.get_items(limit=2)) == items[1:]
        assert run(session.pop_item) == items[2]


def test_clearing_a_session_leaves_others_alone_and_is_undone(memory: Memory) -> None:
    monday, tuesday = Text2MemSession("monday", memory), Text2MemSession("tuesday ", memory)

    async def main() -> None:
        await monday.add_items(ITEMS)
        await tuesday.add_items(ITEMS[:1])
        await monday.clear_session()
        await monday.clear_session()
        assert await monday.get_items() == [] and await monday.pop_item() is None
        assert await tuesday.get_items() == ITEMS[:1]
        assert await Text2MemSession("tuesday", memory).get_items() == []
        assert memory.undo_last().ok
        assert await monday.get_items() == ITEMS

    run(main)


def test_a_session_is_found_by_its_id_as_it_is_spelt(memory: Memory) -> None:
    async def main() -> None:
        for n, name in enumerate(("cafe\u0301", "caf\u00e9")):
            await Text2MemSession(name, memory).add_items(ITEMS[n : n + 1])
            assert await Text2MemSession(name, memory).get_items() == ITEMS[n : n + 1]

    run(main)


def test_a_long_history_is_added_and_cleared_at_once(memory: Memory) -> None:
    session = Text2MemSession("monday", memory)
    items = [{"role": "user", "content": f"message {n}"} for n in range(1_001)]

    async def main() -> None:
        await session.add_items(items)  # type: ignore[arg-type]
        assert await session.get_items() == items
        await session.clear_session()
        assert await session.get_items() == []

    run(main)
    assert len(memory.log()) == 2


def test_no_item_is_popped_twice_by_two_processes(tmp_path: Path) -> None:
    taken: list[Any] = []

    def work(memory: Memory) -> None:
        session = Text2MemSession("monday", memory)
        while (item := run(session.pop_item)) is not None:
            taken.append(item["content"])  # type: ignore[typeddict-item]

    with opened(tmp_path / "agent.db") as one, opened(tmp_path / "agent.db") as other:
        items: Any = [{"role": "user", "content": str(n)} for n in range(20)]
        run(lambda: Text2MemSession("monday", one).add_items(items))
        with ThreadPoolExecutor() as threads:
            list(threads.map(work, (one, other)))
    assert sorted(map(int, taken)) == list(range(20))


def test_sessions_of_tenants_and_actors_do_not_meet(tmp_path: Path) -> None:
    path = tmp_path / "shared.db"
    with (
        opened(path, tenant="acme", actor="ann") as ann,
        opened(path, tenant="acme", actor="bob") as bob,
        opened(path, tenant="other") as other,
    ):

        async def main() -> None:
            await Text2MemSession("monday", ann).add_items(ITEMS[:1])
            assert await Text2MemSession("monday", bob).get_items() == []
            assert await Text2MemSession("monday", other).get_items() == []
            assert await Text2MemSession("monday", ann).get_items() == ITEMS[:1]

        run(main)


def test_what_was_said_is_no_memory_unless_it_is_to_be_learned(tmp_path: Path) -> None:
    memory = opened(tmp_path / "learning.db", reader=scripted.MODEL)
    said: list[Any] = [
        {"role": "user", "content": "Remember that I live in Bergen."},
        {"role": "assistant", "content": "You live in Bergen, then."},
    ]

    async def main() -> None:
        await Text2MemSession("silent", memory).add_items(said)
        assert Toolbox(memory).call("recall", {"question": "Bergen"}).data["known"] is False
        assert not memory.work()
        await Text2MemSession("learning", memory, learn=True).add_items(said)
        assert len(await Text2MemSession("learning", memory).get_items()) == 2

    run(main)
    (worked,) = memory.work()
    assert [outcome.became for outcome in worked.outcomes] == ["new"]
    assert memory.recall("Which city do I live in?").values == ("Bergen",)
    memory.close()


def test_a_session_that_cannot_be_kept_says_why(memory: Memory) -> None:
    with pytest.raises(ConfigurationError, match="a session is a name"):
        Text2MemSession(" ", memory)
    session = Text2MemSession("monday", memory)
    bad: list[tuple[Any, type[Exception]]] = [
        ({}, ConfigurationError), ("text", ConfigurationError),
        ({"role": "user", "content": "\ud800"}, ConfigurationError),
        ({"role": "user", "content": "x", "score": float("nan")}, ValidationError),
    ]  # fmt: skip
    for item, kind in bad:
        with pytest.raises(kind):
            run(lambda item=item: session.add_items([ITEMS[0], item]))  # type: ignore[misc]
    assert run(session.get_items) == []
    run(lambda: session.add_items(ITEMS[:1]))
    lock = {"mode": "read_only"}
    memory.execute({"stage": "STO", "op": "Lock", "target": {"ids": ["1"]}, "args": lock})
    with pytest.raises(ExecutionError, match="lock"):
        run(session.pop_item)
    assert run(session.get_items) == ITEMS[:1]
