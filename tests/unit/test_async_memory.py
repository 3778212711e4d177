"""AsyncMemory: the model is awaited on the loop, writes come one by one, reads beside them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from pathlib import Path
from threading import Barrier, Event, Lock
from typing import Any, Literal, TypeVar

import pytest

from tests.doors import scripted
from tests.doors.scripted import CORRECT, DOWN, NOTE
from tests.every_call import CALLS, EVERYTHING, Local
from tests.planning import CONTEXT
from tests.postgres import server
from text2mem import AsyncMemory, Memory, Program, async_memory
from text2mem.conversation import Conversation
from text2mem.errors import (
    ConfigurationError,
    ExecutionError,
    ServiceUnreachable,
    StoreError,
    Text2MemError,
)
from text2mem.providers.base import Completion, Request
from text2mem.providers.function import FunctionProvider
from text2mem.providers.profiles import TUNED
from text2mem.shared import open_shared

T = TypeVar("T")


class Slow(FunctionProvider):
    """A model that answers on the event loop alone, and when it is let."""

    def __init__(self) -> None:
        super().__init__(scripted.answer)
        self.asked, self.go_on = asyncio.Event(), asyncio.Event()

    def complete(self, request: Request) -> Completion:
        raise AssertionError("the planner's model was asked in a thread")

    async def acomplete(self, request: Request) -> Completion:
        self.asked.set()
        await self.go_on.wait()
        return super().complete(request)


def opened(where: str | Path = "memory:", **more: Any) -> AsyncMemory:
    given = {"model": scripted.MODEL, "context": CONTEXT, "embedder": "none", "reader": "none"}
    return AsyncMemory(where, **{**given, "summariser": "extractive", **more})


def named(where: str, tmp_path: Path) -> str | Path:
    return f"postgres:{server().prepared('awaited')}" if where == "postgres" else tmp_path / "s.db"


def test_the_calls_are_those_of_memory_awaited(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path / "store.db", reader=scripted.MODEL) as memory:
            id_ = await memory.add(NOTE, tags="ferry")
            program, result = await memory.run(CORRECT)
            assert program.ops[0].name == "Update" and result.ok
            (found,) = await memory.search("ferry", tags="ferry")
            assert found.id == id_ and "12:00" in found.text
            assert (await memory.undo_last()).ok
            record = await memory.get(id_)
            assert record is not None and record.text == NOTE
            assert [entry.trail.op for entry in await memory.history(id_)] == [
                "Encode", "Update", "Undo",
            ]  # fmt: skip
            (seen,) = await memory.observe("Remember that I live in Bergen.", extract=True)
            assert seen.outcomes[0].became == "new"
            assert (await memory.recall("Which city do I live in?")).values == ("Bergen",)
            with pytest.raises(ExecutionError):
                await memory.delete("99")
            with pytest.raises(ServiceUnreachable):
                await memory.compile(DOWN)

    asyncio.run(main())
    with Memory(tmp_path / "store.db", context=CONTEXT, embedder="none") as memory:
        assert NOTE in [record.text for record in memory.list()]


def test_many_calls_at_once_lose_nothing(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path / "store.db") as memory:
            ids = await asyncio.gather(*(memory.add(f"note {n}") for n in range(40)))
            assert sorted(map(int, ids)) == list(range(1, 41))
            compiled = await asyncio.gather(*(memory.compile(f"keep {n}") for n in range(20)))
            assert all(isinstance(each, Program) for each in compiled)
            results = await memory.execute_many(compiled)
            assert [each.ok for each in results] == [True] * 20
            assert len(await memory.list()) == 60

    asyncio.run(main())


def test_the_store_is_free_while_the_model_thinks() -> None:
    async def main() -> None:
        model = Slow()
        async with opened(model=model) as memory:
            running = asyncio.create_task(memory.run("Tea is at five."))
            await model.asked.wait()
            await memory.add(NOTE)
            assert [each.text for each in await memory.list()] == [NOTE]
            model.go_on.set()
            _, result = await running
            assert result.ok and len(await memory.list()) == 2

    asyncio.run(main())


def test_the_store_is_free_while_a_reader_of_its_own_thinks() -> None:
    async def main() -> None:
        reader = Slow()
        async with opened(reader=reader) as memory:
            running = asyncio.create_task(memory.observe("I live in Bergen.", extract=True))
            await reader.asked.wait()
            assert await asyncio.wait_for(memory.list(), 30) is not None
            reader.go_on.set()
            (seen,) = await running
            assert seen.error is None

    asyncio.run(main())


@pytest.mark.parametrize("name", ["model", "reader"])
@pytest.mark.parametrize("wrong", ["olama:qwen", "gpt-4", ""])
def test_what_names_no_model_opens_no_store(tmp_path: Path, name: str, wrong: str) -> None:
    with pytest.raises(ConfigurationError):
        opened(tmp_path / "a.db", **{name: wrong})
    assert not [*tmp_path.iterdir()]


async def cancelled_while_it_thinks(memory: AsyncMemory, model: Slow) -> None:
    running = asyncio.create_task(memory.run("Tea is at five."))
    await model.asked.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


def test_who_is_cancelled_while_the_model_thinks_has_changed_nothing() -> None:
    async def main() -> None:
        model = Slow()
        async with opened(model=model) as memory:
            await cancelled_while_it_thinks(memory, model)
            await memory.add(NOTE)
            model.go_on.set()
            assert [each.text for each in await memory.list()] == [NOTE]

    asyncio.run(main())


def test_what_a_model_leaves_running_is_not_cancelled_with_the_call() -> None:
    class Lasting(Slow):
        async def acomplete(self, request: Request) -> Completion:
            if not self.asked.is_set():
                self.left = asyncio.create_task(self.talk())
            return await super().acomplete(request)

        async def talk(self) -> str:
            await self.go_on.wait()
            with Memory("memory:", model=scripted.MODEL, embedder="none") as memory:
                return Conversation(memory).say(NOTE).status

    async def main() -> None:
        model = Lasting()
        async with opened(model=model) as memory:
            await cancelled_while_it_thinks(memory, model)
            model.go_on.set()
            assert await model.left == "done"

    asyncio.run(main())


class Together:
    """An embedder that answers once as many ask as are to meet."""

    model, threshold, dimension = "synthetic:together", 0.1, 2

    def __init__(self, parties: int) -> None:
        self.meeting = Barrier(parties)
        self.meets_at = "query"

    def embed(
        self, texts: Sequence[str], *, kind: Literal["passage", "query"]
    ) -> Sequence[Sequence[float]]:
        if kind == self.meets_at:
            self.meeting.wait(timeout=10)
        return [[1.0, 0.0] for _ in texts]


@pytest.mark.parametrize("where", ["sqlite", "postgres"])
def test_reads_go_on_beside_each_other(where: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(named(where, tmp_path), embedder=Together(3), readers=2) as memory:
            await memory.add(NOTE)
            found = await asyncio.gather(*(memory.search(f"ferry {n}") for n in range(3)))
            assert [each.text for (each,) in found] == [NOTE] * 3
            await memory.add("Tea is at five")
            assert len(await memory.list()) == 2

    asyncio.run(main())


@pytest.mark.parametrize("where", ["sqlite", "postgres"])
def test_a_read_does_not_wait_for_who_writes(where: str, tmp_path: Path) -> None:
    """What is written is read from the moment it is kept, and not before."""
    embedder = Together(2)

    async def main() -> None:
        async with opened(named(where, tmp_path), embedder=embedder) as memory:
            await memory.add(NOTE)
            embedder.meets_at = "passage"
            adding = asyncio.create_task(memory.add("Tea is at five"))
            while not embedder.meeting.n_waiting:
                await asyncio.sleep(0.01)
            assert [each.text for each in await memory.list()] == [NOTE]
            embedder.meeting.wait(timeout=10)
            await adding
            assert len(await memory.list()) == 2

    asyncio.run(main())


def test_a_reader_that_could_not_be_opened_is_opened_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults = [StoreError("busy for a moment")]

    def opening(*args: Any, **given: Any) -> Memory:
        if faults:
            raise faults.pop()
        return open_shared(*args, **given)

    async def main() -> None:
        embedder = Together(2)
        async with opened(tmp_path / "s.db", readers=1, embedder=embedder) as memory:
            await memory.add(NOTE)
            monkeypatch.setattr(async_memory, "open_shared", opening)
            embedder.meets_at = "passage"
            adding = asyncio.create_task(memory.add("Tea is at five"))
            while not embedder.meeting.n_waiting:
                await asyncio.sleep(0.01)
            with pytest.raises(StoreError):
                await memory.list()
            assert [each.text for each in await memory.list()] == [NOTE]
            embedder.meeting.wait(timeout=10)
            await adding

    asyncio.run(main())


def test_nobody_waits_while_a_reader_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = Event(), Event()
    readers = []

    def slowly(*args: Any, **given: Any) -> Memory:
        begun.set()
        assert go_on.wait(10)
        readers.append(open_shared(*args, **given))
        return readers[-1]

    async def main() -> None:
        embedder = Together(2)
        path = tmp_path / "s.db"
        async with opened(path, readers=1, embedder=embedder, experience=True) as memory:
            await memory.add(NOTE)
            monkeypatch.setattr(async_memory, "open_shared", slowly)
            first = asyncio.create_task(memory.search("ferry"))  # waits for the second one
            while not embedder.meeting.n_waiting:
                await asyncio.sleep(0.01)
            second = asyncio.create_task(memory.search("boat"))
            await asyncio.to_thread(begun.wait, 10)
            adding = asyncio.create_task(memory.add("Tea is at five"))
            embedder.meeting.wait(10)
            await asyncio.wait_for(asyncio.gather(first, adding, memory.list()), 10)
            embedder.meets_at = ""
            go_on.set()
            await second
        assert [each.experience for each in readers] == [None]

    asyncio.run(main())


@pytest.mark.parametrize("store", ["memory:", ":memory:"])
def test_a_store_of_one_connection_answers_one_by_one(store: str) -> None:
    async def main() -> None:
        async with opened(store) as memory:
            await memory.add(NOTE)
            found = await asyncio.gather(*(memory.list() for _ in range(8)))
            assert [len(each) for each in found] == [1] * 8

    asyncio.run(main())


def shown(given: Any) -> str:
    """What a call gives or raises, but for how long it took."""
    return re.sub(r"duration_ms=[\d.e-]+", "", repr(given))


@pytest.mark.parametrize("opening", [{}, {"experience": True}])
def test_each_call_gives_what_that_of_memory_gives(opening: dict[str, Any]) -> None:
    def seeded(kind: Callable[..., T]) -> T:
        traces = count()
        context = replace(CONTEXT, random_hex=lambda size: f"{next(traces):0{2 * size}x}")
        return kind(
            model=Local(lambda _: EVERYTHING, profile=TUNED), context=context, embedder="none",
            reader="none", summariser="extractive", **opening,
        )  # fmt: skip

    async def main() -> None:
        with seeded(Memory) as memory:
            async with seeded(AsyncMemory) as twin:
                for name, given in CALLS.items():
                    expected: object
                    try:
                        expected = getattr(memory, name)(**given)
                    except Text2MemError as error:
                        expected = error
                    calling = asyncio.gather(getattr(twin, name)(**given), return_exceptions=True)
                    (got,) = await asyncio.wait_for(calling, 30)
                    assert shown(got) == shown(expected), name

    methods = {name for name, held in vars(AsyncMemory).items() if callable(held)}
    assert CALLS.keys() == {name for name in methods if not name.startswith("_")} - {"close"}
    asyncio.run(main())


def test_what_is_read_ahead_waits_for_nobody_and_nobody_for_it() -> None:
    asked, go_on = Event(), Event()

    def answer(request: Request) -> str:
        asked.set()
        assert go_on.wait(10)
        return "true"

    lock = Lock()
    memory = open_shared("memory:", lock, model=Local(answer, profile=TUNED), embedder="none")
    with lock:
        memory.warm()
        assert asked.wait(10) and lock.locked()
    go_on.set()
    with lock:
        assert memory.add(NOTE) == "1"
    memory.close()


def test_any_event_loop_may_close_it_and_waits_for_the_calls_of_others() -> None:
    asked, go_on, closing = Event(), Event(), Event()

    def answer(request: Request) -> Any:
        asked.set()
        assert go_on.wait(10)
        return scripted.answer(request)

    memory = opened(model=FunctionProvider(answer))

    async def close() -> None:
        closed = asyncio.ensure_future(memory.close())
        await asyncio.sleep(0)
        closing.set()
        await closed

    async def call() -> str:
        return (await memory.run("Tea is at five."))[1].results[0].created[0]

    threads = ThreadPoolExecutor()
    called = threads.submit(asyncio.run, call())
    assert asked.wait(10)
    closes = [threads.submit(asyncio.run, close()) for _ in range(2)]
    assert closing.wait(10)
    go_on.set()
    assert called.result(10) == "1"
    assert [each.result(10) for each in closes] == [None, None]


def test_a_close_whose_loop_has_ended_is_carried_out() -> None:
    asked = Event()

    def answer(request: Request) -> Any:
        asked.set()
        return Event().wait(0.1) or scripted.answer(request)

    memory = opened(model=FunctionProvider(answer))

    async def main() -> None:
        left: list[Any] = [asyncio.ensure_future(memory.run("Tea is at five."))]
        await asyncio.to_thread(asked.wait)
        left.append(asyncio.ensure_future(memory.close()))
        await asyncio.sleep(0)

    asyncio.run(main())
    asyncio.run(memory.close())
    with pytest.raises(StoreError, match="closed"):
        asyncio.run(memory.list())


def test_a_missing_method_would_be_seen() -> None:
    left_out = {
        "close", "execute_each", "experience", "ledger", "reader", "registry", "view",
        "adapter",
    }  # fmt: skip
    names = {name for name in vars(Memory) if not name.startswith("_")}
    for base in Memory.__mro__[1:-2]:
        names |= {name for name in vars(base) if not name.startswith("_")}
    assert names - left_out <= set(dir(AsyncMemory))
