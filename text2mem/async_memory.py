"""``Memory`` for asynchronous programs: the store's calls run in threads.

Writes run one after the other, as the store requires anyway. Reads run beside them if the store can
be opened more than once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import Context
from dataclasses import dataclass, field
from functools import update_wrapper
from pathlib import Path
from threading import Lock
from typing import Any, Concatenate, ParamSpec, TypeVar, Unpack

from text2mem.adapters.base import Adapter
from text2mem.errors import StoreError
from text2mem.ir.arguments import as_count
from text2mem.ir.context import ExecutionContext
from text2mem.memory import Memory
from text2mem.opening import Opening
from text2mem.providers.base import Completion, Provider, Request
from text2mem.shared import asking, check_cancelled, open_shared

P = ParamSpec("P")
T = TypeVar("T")
_THREADS = 16
"""How many calls may wait for a model at once, and as many reads; others wait for a thread."""
_READERS = 4


@dataclass(slots=True)
class _Session:
    """A connection to the store, once it is open, and the lock around its calls."""

    lock: Lock = field(default_factory=Lock)
    calls: int = 0
    """How many calls use it or wait for it."""
    held: Memory | None = None


class _Sessions:
    """One session for writes, and up to ``readers`` further ones for reads that would have to wait,
    each opened when it is needed. Raises ConfigurationError, StoreError."""

    def __init__(self, store: str | Path | Adapter, opening: Opening, readers: int) -> None:
        self._store = store
        # A session for reads learns nothing and is shown no experience.
        self._reading: Opening = opening | {"experience": False}
        self._first = _Session()
        self._first.held = memory = open_shared(store, self._first.lock, **opening)
        self.context = memory.context
        # An adapter that the caller has opened is a single connection.
        again = isinstance(store, str | Path) and memory.adapter.again is not None
        self._most = readers if again else 0
        self._all = [self._first]
        self._lock = Lock()

    @contextmanager
    def taken(self, *, reading: bool) -> Iterator[Memory]:
        """A session for one call, once it is free."""
        with self._lock:
            session = self._for_reading() if reading else self._first
            session.calls += 1
        try:
            with session.lock:
                if session.held is None:
                    session.held = open_shared(self._store, session.lock, **self._reading)
                yield session.held
        finally:
            with self._lock:
                session.calls -= 1
                if session.held is None and not session.calls:
                    self._all.remove(session)  # it failed to open; a further read opens another one

    def _for_reading(self) -> _Session:
        # Prefer open sessions: opening one may take long.
        session = min(self._all, key=lambda each: (each.held is None, each.calls))
        if session.calls and len(self._all) <= self._most:
            session = _Session()
            self._all.append(session)
        return session

    def close(self) -> None:
        """Close all sessions, each after its last call."""
        for session in self._all:
            with session.lock:
                if session.held is not None:
                    session.held.close()


def _awaited(
    method: Callable[Concatenate[Memory, P], T], *, reading: bool = False
) -> Callable[Concatenate[AsyncMemory, P], Coroutine[Any, Any, T]]:
    """A method of ``Memory`` as a coroutine. A ``reading`` one may use any session."""

    async def call(self: AsyncMemory, /, *args: P.args, **named: P.kwargs) -> T:
        return await self._in_thread(lambda memory: method(memory, *args, **named), reading=reading)

    update_wrapper(call, method)
    return call


class AsyncMemory:
    """``Memory`` with the same arguments and methods, awaited.

    The planner's model is asked on the event loop, by ``acomplete``, and the store is free for
    other calls meanwhile. A call that is cancelled while its model thinks changes nothing. One that
    has begun to write finishes, perhaps after the CancelledError, and the next write waits for it
    (docs/python.md, "Awaiting", says how to repeat it). On a SQLite file or Postgres, up to
    ``readers`` reads run beside a write, each on its own connection, opened when needed; an
    embedder that is passed in is then called by several threads. Use it as an asynchronous context
    manager, or close it.
    """

    def __init__(
        self,
        store: str | Path | Adapter = "memory:",
        *,
        readers: int = _READERS,
        **opening: Unpack[Opening],
    ) -> None:
        as_count("readers", readers)
        self._lock = Lock()
        self._closing: Future[None] | None = None
        self._sessions = _Sessions(store, opening, readers)
        # Its own threads, since the model may need those of the loop.
        # Reads have separate ones, so that none waits for a series of writes.
        self._threads = {
            reading: ThreadPoolExecutor(_THREADS, thread_name_prefix="text2mem")
            for reading in (False, True)
        }

    async def __aenter__(self) -> AsyncMemory:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    @property
    def context(self) -> ExecutionContext:
        """Whose programs these are, and by which clock."""
        return self._sessions.context

    add = _awaited(Memory.add)
    search = _awaited(Memory.search, reading=True)
    get = _awaited(Memory.get, reading=True)
    list = _awaited(Memory.list, reading=True)
    update = _awaited(Memory.update)
    delete = _awaited(Memory.delete)

    compile = _awaited(Memory.compile)
    warm = _awaited(Memory.warm)
    with_facts = _awaited(Memory.with_facts)
    execute = _awaited(Memory.execute)
    preview = _awaited(Memory.preview)
    run = _awaited(Memory.run)
    execute_many = _awaited(Memory.execute_many)
    encode_many = _awaited(Memory.encode_many)

    undo = _awaited(Memory.undo)
    undo_last = _awaited(Memory.undo_last)
    tick = _awaited(Memory.tick)
    log = _awaited(Memory.log, reading=True)
    show = _awaited(Memory.show, reading=True)
    history = _awaited(Memory.history, reading=True)
    lineage = _awaited(Memory.lineage, reading=True)

    observe = _awaited(Memory.observe)
    work = _awaited(Memory.work)
    pending = _awaited(Memory.pending, reading=True)
    approve = _awaited(Memory.approve)
    reject = _awaited(Memory.reject)
    recall = _awaited(Memory.recall, reading=True)
    export = _awaited(Memory.export, reading=True)
    stats = _awaited(Memory.stats, reading=True)
    forget = _awaited(Memory.forget)
    evolve = _awaited(Memory.evolve)
    reindex = _awaited(Memory.reindex)

    async def close(self) -> None:
        """Release the store after its last call, of any event loop, once. Later calls raise
        StoreError."""
        with self._lock:
            if self._closing is None:
                closer = ThreadPoolExecutor(1, thread_name_prefix="text2mem")
                self._closing = closer.submit(self._close)
                closer.shutdown(wait=False)
        await asyncio.shield(asyncio.wrap_future(self._closing))

    def _close(self) -> None:
        for threads in self._threads.values():
            threads.shutdown()
        self._sessions.close()

    async def _in_thread(self, work: Callable[[Memory], T], *, reading: bool = False) -> T:
        """Run a call on a session in a thread, and await it. Raises StoreError after ``close``."""
        call = _Call(asyncio.get_running_loop())

        def run() -> T:
            asking.set(call.ask)
            check_cancelled.set(call.check)
            with self._sessions.taken(reading=reading) as memory:
                call.check()
                return work(memory)

        with self._lock:
            if self._closing is not None:
                raise StoreError("the store has been closed", hint="open another AsyncMemory")
            running = self._threads[reading].submit(run)
        try:
            return await asyncio.wrap_future(running)
        except asyncio.CancelledError:
            call.cancel()
            raise


class _Call:
    """One call in its thread, and the question to a model that it waits for."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._cancelled = False
        self._asked: Future[Completion] | None = None

    def check(self) -> None:
        """Raise CancelledError if the call is not wanted any more."""
        if self._cancelled:
            raise CancelledError

    def ask(self, provider: Provider, request: Request) -> Completion:
        """Ask a model on the event loop, while the thread waits. Raises CancelledError."""
        # In a context of its own: what the model leaves running is no part of this call.
        self._asked = Context().run(
            asyncio.run_coroutine_threadsafe, provider.acomplete(request), self._loop
        )
        if self._cancelled:
            self._asked.cancel()
        return self._asked.result()

    def cancel(self) -> None:
        """Note that the call is not wanted any more."""
        self._cancelled = True
        if self._asked is not None:
            self._asked.cancel()
