"""Graphiti over a Kuzu in one file: opened without telemetry, called from one thread, rewritten.

Graphiti is asynchronous, and Kuzu takes one opener at a time. So all that this process has open
of a file shares one graph, and the calls wait for each other.
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
"""The folder beside a file in which it is written anew."""
_SWITCHES = {
    "GRAPHITI_TELEMETRY_ENABLED": "false",  # read when a Graphiti is made
    "PYTHON_DOTENV_DISABLED": "1",  # else the import reads settings and keys out of a .env file
}
_TOKENIZER = re.compile(r"^CREATE MACRO `\d+_\w+_TOKENIZE` .*?;\n", re.MULTILINE | re.DOTALL)
"""What an index of words brings into an exported schema; the index makes it anew."""


class Graph:
    """A file with Graphiti's tables, or ``:memory:``. Its calls run one after the other."""

    def __init__(self, path: str) -> None:
        """Raises MissingExtra, and StoreError where Kuzu does not open the file."""
        self._path = path
        engine_first()
        with _alone():
            with needing("Graphiti", extra="graphiti"):
                import kuzu  # noqa: F401
                from graphiti_core import Graphiti

                from text2mem.adapters.mirrored.graphiti_clients import (
                    NoEmbedder,
                    NoModel,
                    NoReranker,
                )
            self._driver = _opened(path)
            self.graphiti: Graphiti = Graphiti(
                graph_driver=self._driver, llm_client=NoModel(), embedder=NoEmbedder(),
                cross_encoder=NoReranker(),
            )  # fmt: skip
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="graphiti")
        self._runner = asyncio.Runner()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """What it gives, once it is this call's turn. Raises what it raises."""
        return self._thread.submit(self._runner.run, work).result()

    def write(self, work: Coroutine[Any, Any, object]) -> None:
        """In one transaction: all of it, or nothing."""
        self.run(self._together(work))

    async def _together(self, work: Coroutine[Any, Any, object]) -> None:
        execute = self._driver.execute_query
        with closing(work):  # also where no transaction begins
            await execute("BEGIN TRANSACTION")
            try:
                await work
                await execute("COMMIT")
            except BaseException:
                with suppress(RuntimeError):  # Kuzu has mostly done it itself
                    await execute("ROLLBACK")
                raise

    def rewrite(self) -> None:
        """Write the file anew, without the bytes of what is no longer there."""
        if self._path != IN_MEMORY:
            self._thread.submit(self._rewritten).result()

    def _rewritten(self) -> None:
        beside = Path(self._path + REWRITING)
        shutil.rmtree(beside, ignore_errors=True)  # of a process that died over it
        beside.mkdir(mode=0o700)
        try:
            fresh = _copied(self._driver, beside)
            shutil.copymode(self._path, fresh)
            _close(self._driver)
            try:
                _replace(fresh, Path(self._path))
            finally:
                with _alone():
                    opened = _opened(self._path)
                self._driver.db, self._driver.client = opened.db, opened.client
        finally:
            shutil.rmtree(beside)

    def close(self) -> None:
        """The thread and the file; closing twice is no error."""
        with suppress(RuntimeError):  # it was closed before
            self._thread.submit(self._runner.close).result()
            self._thread.shutdown()
            _close(self._driver)


@contextmanager
def _alone() -> Iterator[None]:
    """Graphiti without what it does beside its work, here and not for others in this process."""
    # Kuzu's driver would log the texts of a statement that fails.
    logging.getLogger("graphiti_core.driver.kuzu_driver").setLevel(logging.CRITICAL)
    with environment(_SWITCHES), warnings.catch_warnings():
        # docs/backends.md says that Kuzu is deprecated; the rest Graphiti owes to pydantic.
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
    """Past the driver's own ``close``, which leaves it to the garbage collector."""
    driver.client.close()
    driver.db.close()


def _copied(driver: KuzuDriver, folder: Path) -> Path:
    """A new file with all that a database holds; afterwards its log is empty.

    Indices of words are made one by one: Kuzu's import fails where there are two of them.
    """
    import kuzu

    exported, fresh = folder / "exported", folder / "graph.kuzu"
    with closing(kuzu.Connection(driver.db)) as connection:
        connection.execute("CHECKPOINT")
        connection.execute(f"EXPORT DATABASE {_quoted(exported)} (format = 'parquet')")
    schema, indices = exported / "schema.cypher", exported / "index.cypher"
    schema.write_text(_TOKENIZER.sub("", schema.read_text("utf-8")), "utf-8")
    made = indices.read_text("utf-8").splitlines() if indices.exists() else []
    indices.unlink(missing_ok=True)
    with closing(kuzu.Database(fresh)) as base, closing(kuzu.Connection(base)) as connection:
        connection.execute(f"IMPORT DATABASE {_quoted(exported)}")
        for statement in filter(None, made):
            connection.execute(statement)
    return fresh


def _quoted(path: Path) -> str:
    """A path as a literal: neither statement takes a parameter for it."""
    escaped = str(path.resolve()).replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _replace(fresh: Path, path: Path) -> None:
    """Under Kuzu's own lock, so that nobody who opened the old file is left with it."""
    if sys.platform == "win32":  # where nobody replaces a file that is open
        os.replace(fresh, path)
        return
    import fcntl

    with path.open("rb+") as old:
        fcntl.lockf(old, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.replace(fresh, path)


shared = SharedFiles(Graph, Graph.close).lent
"""A file's graph, and what gives it back; one in memory is the caller's own.

Raises MissingExtra and StoreError.
"""
