"""``Memory`` for a program that awaits: the store's calls in threads, one at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from functools import update_wrapper
from pathlib import Path
from threading import Lock, local
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from text2mem.memory import Memory
from text2mem.providers.base import Completion, Provider, Request
from text2mem.shared import open_shared

if TYPE_CHECKING:
    from text2mem.adapters.base import Adapter
    from text2mem.experience import Bank
    from text2mem.ir.context import ExecutionContext
    from text2mem.ir.ports import Embedder, Fetcher, Splitter, Summariser
    from text2mem.ir.result import ProgramResult
    from text2mem.ledger.policy import Policy
    from text2mem.program import Program

P = ParamSpec("P")
T = TypeVar("T")
_THREADS = 16
"""How many requests wait for a model at once; further ones wait for a thread."""


def _awaited(
    method: Callable[Concatenate[Memory, P], T],
) -> Callable[Concatenate[AsyncMemory, P], Coroutine[Any, Any, T]]:
    """A method of ``Memory``, awaited."""

    async def call(self: AsyncMemory, /, *args: P.args, **named: P.kwargs) -> T:
        return await self._in_thread(lambda: method(self._memory, *args, **named))

    update_wrapper(call, method)
    return call


class AsyncMemory:
    """What ``Memory`` does, with its arguments and its methods, awaited.

    The planner's model is asked on the event loop, by ``acomplete``, and the store is free for
    other calls meanwhile. A call that is cancelled while its model thinks changes nothing; one
    that writes by then ends what it has begun. Use it as an asynchronous context manager, or close
    it.
    """

    def __init__(
        self,
        store: str | Path | Adapter = "memory:",
        *,
        model: str | Provider | None = None,
        context: ExecutionContext | None = None,
        summariser: Summariser | str | None = None,
        splitter: Splitter | None = None,
        embedder: Embedder | str | None = None,
        fetcher: Fetcher | None = None,
        policy: Policy | str | Path | Mapping[str, Any] | None = None,
        reader: str | Provider | None = None,
        experience: Bank | bool = False,
    ) -> None:
        self._lock = Lock()
        self._here = local()
        self._memory = open_shared(
            store, self._lock, model=model, context=context, summariser=summariser,
            splitter=splitter, embedder=embedder, fetcher=fetcher, policy=policy, reader=reader,
            experience=experience, ask=self._ask,
        )  # fmt: skip
        # Its own threads: those of the loop may be what the model itself needs.
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="text2mem")

    async def __aenter__(self) -> AsyncMemory:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    @property
    def context(self) -> ExecutionContext:
        """Whose programs these are, and by which clock."""
        return self._memory.context

    add = _awaited(Memory.add)
    search = _awaited(Memory.search)
    get = _awaited(Memory.get)
    list = _awaited(Memory.list)
    update = _awaited(Memory.update)
    delete = _awaited(Memory.delete)

    compile = _awaited(Memory.compile)
    warm = _awaited(Memory.warm)
    with_facts = _awaited(Memory.with_facts)
    execute = _awaited(Memory.execute)
    preview = _awaited(Memory.preview)
    run = _awaited(Memory.run)
    encode_many = _awaited(Memory.encode_many)

    undo = _awaited(Memory.undo)
    undo_last = _awaited(Memory.undo_last)
    tick = _awaited(Memory.tick)
    log = _awaited(Memory.log)
    show = _awaited(Memory.show)
    history = _awaited(Memory.history)
    lineage = _awaited(Memory.lineage)

    observe = _awaited(Memory.observe)
    work = _awaited(Memory.work)
    pending = _awaited(Memory.pending)
    approve = _awaited(Memory.approve)
    reject = _awaited(Memory.reject)
    recall = _awaited(Memory.recall)
    export = _awaited(Memory.export)
    stats = _awaited(Memory.stats)
    forget = _awaited(Memory.forget)
    evolve = _awaited(Memory.evolve)
    reindex = _awaited(Memory.reindex)

    async def execute_many(self, programs: Sequence[Program | Any]) -> tuple[ProgramResult, ...]:
        """Run programs in order, many in one transaction; each is kept whole or not at all."""
        return await self._in_thread(lambda: tuple(self._memory.execute_many(programs)))

    async def close(self) -> None:
        """Release the store, once its last call has ended."""
        await self._in_thread(self._memory.close)
        self._threads.shutdown(wait=False)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        loop = asyncio.get_running_loop()
        call = _Call(loop)

        def run() -> T:
            self._here.call = call
            with self._lock:
                call.begin()
                return work()

        try:
            return await loop.run_in_executor(self._threads, run)
        except asyncio.CancelledError:
            call.cancel()
            raise

    def _ask(self, provider: Provider, request: Request) -> Completion:
        call: _Call = self._here.call
        return call.ask(provider, request)


class _Call:
    """One call in its thread, and the question to a model that it waits for."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._cancelled = False
        self._asked: Future[Completion] | None = None

    def begin(self) -> None:
        """Go on, if somebody still waits for it. Raises CancelledError."""
        if self._cancelled:
            raise CancelledError

    def ask(self, provider: Provider, request: Request) -> Completion:
        """Ask on the event loop; the thread waits. Raises CancelledError."""
        self._asked = asyncio.run_coroutine_threadsafe(provider.acomplete(request), self._loop)
        if self._cancelled:
            self._asked.cancel()
        answer = self._asked.result()
        self.begin()
        return answer

    def cancel(self) -> None:
        """Nobody waits for it any more."""
        self._cancelled = True
        if self._asked is not None:
            self._asked.cancel()
