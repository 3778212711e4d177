"""Messages and hints for the errors of a Postgres server, without anything that was stored: a
server's DETAIL quotes keys, and its messages quote values."""

from __future__ import annotations

from typing import Any

from text2mem.adapters.sql.damage import UNREADABLE, said_of_a_row
from text2mem.errors import StoreBusy, StoreError, StoreUnreachable, needing

_HINTS = {
    "08": "is the server running, and does it take this user?",
    "28": "the server does not take this user: see its pg_hba.conf, or the password",
    "42501": "this role may not do that: see docs/postgres.md, Roles",
    "42P01": "a table is gone: restore the schema from a copy",
    "42703": "a column is gone: restore the schema from a copy",
    "53": "the server is out of room, memory or connections; try again",
    "54000": "a name, tag or type is longer than an index of Postgres takes (2,600 bytes)",
    "55P03": "another program is writing as this tenant; try again",
    "57": "the server is stopping; try again",
}


def driver() -> Any:
    """The module psycopg. Raises MissingExtra if it is not installed."""
    with needing("a store in Postgres", extra="postgres"):
        import psycopg
    return psycopg


def faults() -> tuple[type[Exception], ...]:
    """The exceptions of a database that is damaged, or cannot be used."""
    import psycopg
    from psycopg_pool import PoolTimeout

    return psycopg.Error, PoolTimeout, *UNREADABLE


def busy(error: BaseException) -> bool:
    """Whether the wait for a lock, or for a connection of the pool, took too long."""
    from psycopg_pool import PoolTimeout

    return isinstance(error, PoolTimeout) or getattr(error, "sqlstate", None) == "55P03"


def unusable(message: str, conninfo: str, error: Exception) -> StoreError:
    """The error for a database that cannot be used: StoreBusy if the wait was too long,
    StoreUnreachable if no server answers, else StoreError."""
    kind = StoreBusy if busy(error) else StoreError
    if isinstance(error, driver().OperationalError) and not _answers(conninfo):
        kind = StoreUnreachable
    return kind(f"{message}: {said(error)}", hint=hint_for(error))


def _answers(conninfo: str) -> bool:
    """Whether a server accepts connections, from any user; True for an invalid address, too. It is
    pinged, because libpq has no code for that in the error of a failed connection."""
    pq = driver().pq
    result = pq.PGconn.ping(driver().conninfo.make_conninfo(conninfo, connect_timeout=5).encode())
    return result not in (pq.Ping.NO_RESPONSE, pq.Ping.REJECT)


def said(error: BaseException) -> str:
    """The message of an error, without stored values."""
    if message := said_of_a_row(error):
        return message
    diagnosis = getattr(error, "diag", None)
    message = getattr(diagnosis, "message_primary", None) or str(error).partition("\n")[0]
    return str(message).partition(': "')[0]


def hint_for(error: BaseException) -> str:
    """What to do about an error, by its SQLSTATE."""
    state = str(error.sqlstate or "08") if hasattr(error, "sqlstate") else ""
    return next(
        (hint for code, hint in _HINTS.items() if state.startswith(code)),
        "`text2mem doctor` tries the store",
    )
