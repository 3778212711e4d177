"""Qdrant in a folder, in which several frameworks keep their vectors: one client per process."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from text2mem.adapters.registry import IN_MEMORY
from text2mem.adapters.sharing import SharedFiles
from text2mem.errors import StoreError

if TYPE_CHECKING:
    from qdrant_client import QdrantClient


def _opened(path: str) -> QdrantClient:
    from qdrant_client import QdrantClient

    if path == IN_MEMORY:
        return QdrantClient(IN_MEMORY)
    # Unless it is told, the client asks SQLite by a connection that it never closes.
    serialized = sqlite3.threadsafety == 3
    return QdrantClient(path=path, force_disable_check_same_thread=serialized)


_CLIENTS: SharedFiles[QdrantClient] = SharedFiles(_opened, lambda client: client.close())


@contextmanager
def shared_client(path: str, framework: str) -> Iterator[tuple[QdrantClient, Callable[[], None]]]:
    """Yield the client of a folder, which takes only one, and a function that gives it back. If the
    body raises, it is given back at once. A client in memory is not shared. Raises StoreError if
    another process has opened the folder."""
    try:
        client, release = _CLIENTS.lent(path)
    except (RuntimeError, OSError) as error:
        why = f"cannot open {path} as a Qdrant of {framework}: {error}"
        raise StoreError(why, hint="it takes one process at a time") from error
    try:
        yield client, release
    except BaseException:
        release()
        raise


def vacuum(path: str | None) -> None:
    """Rewrite the files of a folder, so that they hold no bytes of removed items."""
    for file in Path(path).glob("collection/*/storage.sqlite") if path else ():
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("VACUUM")
