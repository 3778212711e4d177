"""What several users of one process hold together, and the last of them closes."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Generic, TypeVar

from text2mem.adapters.registry import IN_MEMORY

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Shared(Generic[K, V]):
    """At most one open value a key and process; a process that was forked off opens its own."""

    def __init__(self, opened: Callable[[K], V], close: Callable[[V], None]) -> None:
        """How one is opened, which may raise, and how it is closed."""
        self._opened = opened
        self._close = close
        self._lock = Lock()
        self._held: dict[tuple[int, K], tuple[V, int]] = {}

    def take(self, key: K) -> V:
        """The value of a key, opened where nobody holds it. Raises what opening raises."""
        own = os.getpid(), key
        with self._lock:
            value, users = self._held.get(own) or (self._opened(key), 0)
            self._held[own] = value, users + 1
        return value

    def give_back(self, key: K) -> None:
        """One user less; who opens it anew waits until it is closed. Nothing, where it is not held:
        what was taken before a fork is the parent's."""
        own = os.getpid(), key
        with self._lock:
            held = self._held.pop(own, None)
            if held is None:
                return
            value, users = held
            if users > 1:
                self._held[own] = value, users - 1
            else:
                self._close(value)


class SharedFiles(Shared[str, V]):
    """Values opened from files and folders, by their paths; one in memory is not shared."""

    def lent(self, path: str) -> tuple[V, Callable[[], None]]:
        """The value of a path, and a function that gives it back. Raises what opening raises."""
        if path == IN_MEMORY:
            own = self._opened(path)
            return own, partial(self._close, own)
        name = str(Path(path).resolve())
        return self.take(name), partial(self.give_back, name)
