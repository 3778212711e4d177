"""One open store for many calls at once: a lock around it, and a planner that waits outside."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from text2mem.conversation.dialogue import Asks, Dialogue, Transcript
from text2mem.ir.context import ExecutionContext
from text2mem.memory import Memory, opened_embedder, opened_summariser
from text2mem.pipeline import opened_provider
from text2mem.planner import Budget
from text2mem.providers.base import Completion, Provider, Request
from text2mem.providers.profiles import Profile
from text2mem.services.model import ModelSplitter
from text2mem.settings import NO_EMBEDDER

if TYPE_CHECKING:
    from text2mem.adapters.base import Adapter
    from text2mem.ir.ports import Fetcher


@dataclass(slots=True)
class Store:
    """A store that several threads use. Whoever touches it holds it: ``with store:``.

    ``seed`` and ``budget`` are those that requests are compiled with.
    """

    memory: Memory
    seed: int = 0
    budget: Budget = field(default_factory=Budget)
    lock: Lock = field(default_factory=Lock)

    def __enter__(self) -> Store:
        self.lock.acquire()
        return self

    def __exit__(self, *exc: object) -> None:
        self.lock.release()

    @property
    def context(self) -> ExecutionContext:
        """Whose programs these are, and by which clock."""
        return self.memory.context

    def dialogue(self, transcript: Transcript, asks: Asks = "destroys") -> Dialogue:
        """A conversation with this store, which must be held; it is free while the model thinks."""
        return Dialogue(self.memory, transcript, asks, self.seed, self.budget)

    def close(self) -> None:
        """Release the store, once nobody holds it."""
        with self.lock:
            self.memory.close()


class Waiting:
    """The planner's model. It gives the store up while it thinks: the lock must be held."""

    def __init__(self, opened: Callable[[], Provider], lock: Lock) -> None:
        self._opened = opened
        self._lock = lock

    @property
    def name(self) -> str:
        """``provider:model``."""
        return self._opened().name

    @property
    def profile(self) -> Profile:
        """What the model can do."""
        return self._opened().profile

    def complete(self, request: Request) -> Completion:
        """One answer; others may have changed the store meanwhile."""
        self._lock.release()
        try:
            return self._opened().complete(request)
        finally:
            self._lock.acquire()

    async def acomplete(self, request: Request) -> Completion:
        """Not asked for: a plan runs in a thread of its own."""
        raise NotImplementedError

    def close(self) -> None:
        """The model belongs to the process."""


def open_store(
    store: str | Path | Adapter,
    context: ExecutionContext,
    *,
    model: str | Provider | None = None,
    embedder: str | None = None,
    summariser: str | None = None,
    fetcher: Fetcher | None = None,
    seed: int = 0,
    budget: Budget | None = None,
) -> Store:
    """Open a store as ``Memory`` does. Raises ConfigurationError, StoreError."""
    lock = Lock()
    vectors = opened_embedder(embedder) or NO_EMBEDDER
    digests = opened_summariser(summariser, model)

    def thinking() -> Provider:
        return opened_provider(model)

    memory = Memory(
        store, model=Waiting(thinking, lock), context=context, summariser=digests,
        splitter=ModelSplitter(thinking), embedder=vectors, fetcher=fetcher,
    )  # fmt: skip
    return Store(memory, seed, budget or Budget(), lock)
