"""Graphiti over Kuzu in a file: opening it without telemetry, calling it, rewriting the file.

Graphiti is asynchronous, and a Kuzu file can be opened once only. So all stores of this process in
one file share a graph, which runs their calls one after the other on a thread of its own.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import shutil
import sys
import warnings
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from text2mem.adapters.registry import IN_MEMORY
from text2mem.adapters.sharing import SharedFiles
from text2mem.errors import StoreError, needing
from text2mem.providers.llamacpp_ import engine_first
from text2mem.settings import environment

if TYPE_CHECKING:
    from graphiti_core import Graphiti
    from graphiti_core.driver.kuzu_driver import KuzuDriver

T = TypeVar("T")
REWRITING = ".rewriting"
"""The suffix of the folder beside a file in which the new file is made."""
_SWITCHES = {
    "GRAPHITI_TELEMETRY_ENABLED": "false",  # read when a Graphiti object is made
    "PYTHON_DOTENV_DISABLED": "1",  # otherwise the import reads settings and keys from a .env file
}
_TOKENIZER = re.compile(r"^CREATE MACRO `\d+_\w+_TOKENIZE` .*?;\n", re.MULTILINE | re.DOTALL)
"""What an index of words adds to an exported schema, though creating the index executes it."""


class Graph:
    """A Graphiti over a file, or in memory (``:memory:``). Its calls run one after the other."""

    def __init__(self, path: str) -> None:
        """Open the file. Raises MissingExtra, and StoreError if Kuzu cannot open it."""
        self._path = path
        engine_first()
        with _without_side_effects():
            with needing("Graphiti", extra="graphiti"):
                import kuzu  # noqa: F401
                from graphiti_core import Graphiti

                from text2mem.adapters.mirrored.graphiti_clients import NoModels
            self._driver = _opened(path)
            none = NoModels()
            self.graphiti: Graphiti = Graphiti(
                graph_driver=self._driver, llm_client=none, embedder=none, cross_encoder=none
            )
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="graphiti")
        self._runner = asyncio.Runner()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine after all earlier calls, and return its result."""
        return self._thread.submit(self._runner.run, work).result()

    def write(self, work: Coroutine[Any, Any, object]) -> None:
        """Run a coroutine in one transaction."""
        self.run(self._in_transaction(work))

    async def _in_transaction(self, work: Coroutine[Any, Any, object]) -> None:
        execute = self._driver.execute_query
        with closing(work):  # in case that no transaction begins and it is never awaited
            await execute("BEGIN TRANSACTION")
            try:
                await work
                await execute("COMMIT")
            except BaseException:
                with suppress(RuntimeError):  # in most cases, Kuzu has rolled back already
                    await execute("ROLLBACK")
                raise

    def rewrite(self) -> None:
        """Replace the file by a new one with the same content but no bytes of removed data."""
        if self._path != IN_MEMORY:
            self._thread.submit(self._rewritten).result()

    def _rewritten(self) -> None:
        folder = Path(self._path + REWRITING)
        shutil.rmtree(folder, ignore_errors=True)  # left by a process that died
        folder.mkdir(mode=0o700)
        try:
            fresh = _copied(self._driver, folder)
            shutil.copymode(self._path, fresh)
            _close(self._driver)
            try:
                _replace(fresh, Path(self._path))
            finally:
                with _without_side_effects():
                    opened = _opened(self._path)
                self._driver.db, self._driver.client = opened.db, opened.client
        finally:
            shutil.rmtree(folder)

    def close(self) -> None:
        """End the thread and close the file. Closing twice is no error."""
        with suppress(RuntimeError):  # it was closed before
            self._thread.submit(self._runner.close).result()
            self._thread.shutdown()
            _close(self._driver)


@contextmanager
def _without_side_effects() -> Iterator[None]:
    """Run the body without Graphiti's telemetry, ``.env`` files, warnings and logging of texts."""
    # Kuzu's driver would log the texts in a failing statement.
    logging.getLogger("graphiti_core.driver.kuzu_driver").setLevel(logging.CRITICAL)
    with environment(_SWITCHES), warnings.catch_warnings():
        # docs/backends.md says that Kuzu is deprecated. Other warnings are of Graphiti's pydantic.
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


def _opened(path: str) -> KuzuDriver:
    from graphiti_core.driver.kuzu_driver import KuzuDriver

    try:
        return KuzuDriver(path)
    except RuntimeError as error:
        hint = "it takes one process at a time" if "lock" in str(error) else ""
        raise StoreError(f"cannot open {path} as a Kuzu of Graphiti: {error}", hint=hint) from error


def _close(driver: KuzuDriver) -> None:
    """Close Kuzu at once. The driver's own ``close`` would leave that to the garbage collector."""
    driver.client.close()
    driver.db.close()


def _copied(driver: KuzuDriver, folder: Path) -> Path:
    """Empty a database's log, and copy it to a new file in a folder; the file's path."""
    import kuzu

    exported, fresh = folder / "exported", folder / "graph.kuzu"
    with closing(kuzu.Connection(driver.db)) as connection:
        connection.execute("CHECKPOINT")
        connection.execute(f"EXPORT DATABASE {_quoted(exported)} (format = 'parquet')")
    schema, indices = exported / "schema.cypher", exported / "index.cypher"
    schema.write_text(_TOKENIZER.sub("", schema.read_text("utf-8")), "utf-8")
    statements = indices.read_text("utf-8").splitlines() if indices.exists() else []
    indices.unlink(missing_ok=True)  # Kuzu's import fails at two indexes of words
    with closing(kuzu.Database(fresh)) as base, closing(kuzu.Connection(base)) as connection:
        connection.execute(f"IMPORT DATABASE {_quoted(exported)}")
        for statement in filter(None, statements):
            connection.execute(statement)
    return fresh


def _quoted(path: Path) -> str:
    """A path as a literal, because EXPORT and IMPORT take no parameter for it."""
    escaped = str(path.resolve()).replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _replace(fresh: Path, path: Path) -> None:
    """Replace the file under Kuzu's own lock, so that no process keeps the old file open."""
    if sys.platform == "win32":  # where an open file cannot be replaced
        os.replace(fresh, path)
        return
    import fcntl

    with path.open("rb+") as old:
        fcntl.lockf(old, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.replace(fresh, path)


shared = SharedFiles(Graph, Graph.close).lent
"""The graph of a file, and a function that gives it back. One in memory is not shared. Raises
MissingExtra and StoreError."""
