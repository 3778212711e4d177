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
from text2mem.opening import Opening
from text2mem.providers.base import Completion, Provider, Request
from text2mem.providers.profiles import Profile
from text2mem.providers.registry import opened_provider

asking: ContextVar[Callable[[Provider, Request], Completion]] = ContextVar(
    "asking", default=lambda provider, request: provider.complete(request)
)
"""How the call of this thread asks a model, while it waits for the answer. ``AsyncMemory`` sets
it."""
check_cancelled: ContextVar[Callable[[], None]] = ContextVar(
    "check_cancelled", default=lambda: None
)
"""A function that raises if the call of this thread has been cancelled. Whoever starts the thread
sets it."""


@dataclass(frozen=True, slots=True)
class UnlockingProvider:
    """A model that plans or reads. It releases the lock, which the caller must hold."""

    opened: Callable[[], Provider]
    lock: Lock

    @property
    def wrapped(self) -> Provider:
        """The model itself, for a thread that does not hold the lock."""
        return self.opened()

    @property
    def name(self) -> str:
        return self.wrapped.name

    @property
    def profile(self) -> Profile:
        return self.wrapped.profile

    @property
    def weights(self) -> object:
        """What tells the model from another one of the same name."""
        return getattr(self.wrapped, "weights", ())

    def complete(self, request: Request) -> Completion:
        """One answer. Others may have changed the store meanwhile. Raises if the call has been
        cancelled."""
        self.lock.release()
        try:
            answer = asking.get()(self.wrapped, request)
            check_cancelled.get()()
            return answer
        finally:
            self.lock.acquire()

    async def acomplete(self, request: Request) -> Completion:
        raise NotImplementedError  # a plan runs in a thread of its own

    def close(self) -> None:
        """Do nothing: the model belongs to the process."""


def open_shared(store: str | Path | Adapter, lock: Lock, **opening: Unpack[Opening]) -> Memory:
    """A ``Memory`` for several threads, each of which holds the lock during a call.

    Planner and reader release it while they think. Digests and splits do not, so the store stays as
    it is. Raises ConfigurationError, StoreError.
    """
    memory = Memory(store, **opening)
    memory._ask_through(lambda model: UnlockingProvider(lambda: opened_provider(model), lock))
    return memory
