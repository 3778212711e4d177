"""Resources that several users in one process share; the last one to give them back closes them."""

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
    """At most one open value per key and process. A forked process opens its own."""

    def __init__(self, opened: Callable[[K], V], close: Callable[[V], None]) -> None:
        """``opened`` opens the value of a key, and may raise; ``close`` closes a value."""
        self._opened = opened
        self._close = close
        self._lock = Lock()
        self._held: dict[tuple[int, K], tuple[V, int]] = {}

    def take(self, key: K) -> V:
        """The value of a key, opened if it is not open yet. Raises what opening raises."""
        process_key = os.getpid(), key
        with self._lock:
            value, users = self._held.get(process_key) or (self._opened(key), 0)
            self._held[process_key] = value, users + 1
        return value

    def give_back(self, key: K) -> None:
        """Count one user less, and close the value after the last one. Whoever opens it again waits
        until it is closed. A value that this process has not taken, such as one taken by the parent
        before a fork, is left alone."""
        process_key = os.getpid(), key
        with self._lock:
            match self._held.pop(process_key, None):
                case value, 1:
                    self._close(value)
                case value, users:
                    self._held[process_key] = value, users - 1


class SharedFiles(Shared[str, V]):
    """Values opened from files and folders, by resolved path. ``:memory:`` is never shared."""

    def lent(self, path: str) -> tuple[V, Callable[[], None]]:
        """The value of a path, and a function that gives it back. Raises what opening raises."""
        if path == IN_MEMORY:
            value = self._opened(path)
            return value, partial(self._close, value)
        name = str(Path(path).resolve())
        return self.take(name), partial(self.give_back, name)
