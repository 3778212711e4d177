"""A Qdrant in a folder, which several frameworks keep their vectors in: one client a process."""

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

    return QdrantClient(IN_MEMORY) if path == IN_MEMORY else QdrantClient(path=path)


_CLIENTS: SharedFiles[QdrantClient] = SharedFiles(_opened, lambda client: client.close())


@contextmanager
def shared_client(path: str, framework: str) -> Iterator[tuple[QdrantClient, Callable[[], None]]]:
    """A folder's client, which takes no second one, and what gives it back: also where what is made
    of it meanwhile comes to nothing. One in memory is a caller's own.

    Raises StoreError where another process has the folder.
    """
    try:
        client, release = _CLIENTS.lent(path)
    except (RuntimeError, OSError) as error:
        raise StoreError(
            f"cannot open {path} as a Qdrant of {framework}: {error}",
            hint="it takes one process at a time",
        ) from error
    try:
        yield client, release
    except BaseException:
        release()
        raise


def vacuum(path: str | None) -> None:
    """Rewrites the files of a folder, so that they hold no byte of what was removed."""
    for file in Path(path).glob("collection/*/storage.sqlite") if path else ():
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("VACUUM")
