"""A Qdrant in a folder, which several frameworks keep their vectors in: one client a process."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from text2mem.adapters.registry import IN_MEMORY
from text2mem.adapters.sharing import Shared
from text2mem.errors import StoreError

if TYPE_CHECKING:
    from qdrant_client import QdrantClient


def _opened(path: str) -> QdrantClient:
    from qdrant_client import QdrantClient

    return QdrantClient(path=path)


_CLIENTS: Shared[str, QdrantClient] = Shared(_opened, lambda client: client.close())


def shared_client(path: str, framework: str) -> QdrantClient:
    """A folder's client, which takes no second one; one in memory is a caller's own.

    Raises StoreError where another process has the folder.
    """
    from qdrant_client import QdrantClient

    if path == IN_MEMORY:
        return QdrantClient(IN_MEMORY)
    try:
        return _CLIENTS.take(str(Path(path).resolve()))
    except (RuntimeError, OSError) as error:
        raise StoreError(
            f"cannot open {path} as a Qdrant of {framework}: {error}",
            hint="it takes one process at a time",
        ) from error


def let_go(path: str, client: QdrantClient) -> None:
    """Closes it where nobody else in this process uses it."""
    if path == IN_MEMORY:
        client.close()
    else:
        _CLIENTS.give_back(str(Path(path).resolve()))


@contextmanager
def released_on_failure(path: str, client: QdrantClient) -> Iterator[None]:
    """Lets go of a client where what is made of it comes to nothing."""
    try:
        yield
    except BaseException:
        let_go(path, client)
        raise


def vacuum(path: str | None) -> None:
    """Rewrites the files of a folder, so that they hold no byte of what was removed."""
    for file in Path(path).glob("collection/*/storage.sqlite") if path else ():
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("VACUUM")
