"""One open memory for several threads, with a lock that a model releases while it thinks."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Unpack

from text2mem.adapters.base import Adapter
from text2mem.memory import Memory
from text2mem.opening import Opening, opened_embedder, opened_splitter, opened_summariser
from text2mem.pipeline import opened_provider
from text2mem.providers.base import Completion, Provider, Request
from text2mem.providers.profiles import Profile
from text2mem.providers.registry import named
from text2mem.settings import CODE, NO_EMBEDDER, Settings

Asking = Callable[[Provider, Request], Completion]
"""How a model is asked, by a thread that waits for the answer."""

check_cancelled: ContextVar[Callable[[], None]] = ContextVar(
    "check_cancelled", default=lambda: None
)
"""A function that raises if the call of this thread has been cancelled. A door sets it."""


def ask_here(provider: Provider, request: Request) -> Completion:
    """Ask the model in this thread. Raise if the call has been cancelled meanwhile."""
    answer = provider.complete(request)
    check_cancelled.get()()
    return answer


@dataclass(frozen=True, slots=True)
class Waiting:
    """A model that plans or reads. It releases the lock, which the caller must hold."""

    opened: Callable[[], Provider]
    lock: Lock
    ask: Asking

    @property
    def alone(self) -> Provider:
        """The model itself, for a thread that does not hold the lock."""
        return self.opened()

    @property
    def name(self) -> str:
        return self.alone.name

    @property
    def profile(self) -> Profile:
        return self.alone.profile

    @property
    def weights(self) -> object:
        """What tells the model from another one of the same name."""
        return getattr(self.alone, "weights", ())

    def complete(self, request: Request) -> Completion:
        """One answer. Others may have changed the store meanwhile."""
        self.lock.release()
        try:
            return self.ask(self.alone, request)
        finally:
            self.lock.acquire()

    async def acomplete(self, request: Request) -> Completion:
        raise NotImplementedError  # a plan runs in a thread of its own

    def close(self) -> None:
        """Do nothing: the model belongs to the process."""


def open_shared(
    store: str | Path | Adapter, lock: Lock, *, ask: Asking = ask_here, **opening: Unpack[Opening]
) -> Memory:
    """A ``Memory`` for several threads, each of which holds the lock during a call.

    Planner and reader release it while they think. Digests and splits do not, so the store stays as
    it is. With the model ``none`` there is no reader either, unless one is named. Raises
    ConfigurationError, StoreError.
    """
    model, reader = opening.get("model"), opening.get("reader")
    for each in (model, reader):
        if isinstance(each, str) and each != CODE:
            named(each)  # a wrong name must fail before a store is made
    vectors = opened_embedder(opening.get("embedder"))
    plans = Settings.from_environment().model if model is None else model
    reads: Provider | str | None = CODE if reader is None and plans == CODE else reader
    if reads is not None and reads != CODE:
        reads = Waiting(lambda: opened_provider(reader), lock, ask)
    opening |= {
        "model": Waiting(lambda: opened_provider(model), lock, ask),
        "summariser": opened_summariser(opening.get("summariser"), model),
        "splitter": opened_splitter(opening.get("splitter"), model, vectors),
        "embedder": vectors or NO_EMBEDDER,
        "reader": reads,
    }
    memory = Memory(store, **opening)
    memory.named = memory.reads_added = model is not None or reader is not None
    return memory
