"""A memory that the threads of a door share, with its lock."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Unpack

from text2mem.adapters.base import Adapter
from text2mem.conversation.dialogue import Asks, Dialogue, Transcript
from text2mem.ir.context import ExecutionContext
from text2mem.memory import Memory
from text2mem.opening import Opening
from text2mem.planner import Budget
from text2mem.shared import open_shared


@dataclass(slots=True)
class SharedMemory:
    """A memory that several threads share. ``with shared:`` locks it; every use must be inside."""

    memory: Memory
    seed: int = 0
    """The sampler's seed when a request is compiled."""
    budget: Budget | None = None
    lock: Lock = field(default_factory=Lock)

    def __enter__(self) -> SharedMemory:
        self.lock.acquire()
        return self

    def __exit__(self, *exc: object) -> None:
        self.lock.release()

    @property
    def context(self) -> ExecutionContext:
        return self.memory.context

    def dialogue(self, transcript: Transcript, asks: Asks = "destroys") -> Dialogue:
        """Return the dialogue of a talk with this memory, which the caller has locked."""
        return Dialogue(self.memory, transcript, asks, self.seed, self.budget)

    def close(self, patience: float = -1) -> None:
        """Close it once no call uses it; leave it as it is if that takes ``patience`` seconds."""
        if self.lock.acquire(timeout=patience):
            try:
                self.memory.close()
            finally:
                self.lock.release()


def open_shared_memory(
    store: str | Path | Adapter, *, seed: int = 0, budget: Budget | None = None,
    **opening: Unpack[Opening],
) -> SharedMemory:  # fmt: skip
    """Open a store, with the arguments of ``Memory``; its lock is released while a model plans.
    Raises ConfigurationError, StoreError."""
    lock = Lock()
    return SharedMemory(open_shared(store, lock, **opening), seed, budget, lock)
