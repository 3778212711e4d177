"""What a server says when something is wrong, as errors of ours.

What was stored stands in none of them: a server's DETAIL quotes keys, and its messages values.
"""

from __future__ import annotations

from typing import Any

from text2mem.adapters.sql.damage import UNREADABLE, said_of_a_row
from text2mem.errors import ConfigurationError, StoreBusy, StoreError, StoreUnreachable, needing
from text2mem.ir.json_values import half_a_character

_HINTS = {
    "08": "is the server running, and does it take this user?",
    "23": "`text2mem doctor` tries the store",
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
    """The module psycopg. Raises MissingExtra."""
    with needing("a store in Postgres", extra="postgres"):
        import psycopg
    return psycopg


def faults() -> tuple[type[Exception], ...]:
    """What comes of a database that does not hold what it should, or cannot be used."""
    import psycopg
    from psycopg_pool import PoolTimeout

    return psycopg.Error, PoolTimeout, *UNREADABLE


def busy(error: BaseException) -> bool:
    """Whether another writer of the tenant, or others with all connections, kept us waiting."""
    from psycopg_pool import PoolTimeout

    return isinstance(error, PoolTimeout) or getattr(error, "sqlstate", None) == "55P03"


def unusable(told: str, conninfo: str, error: Exception) -> StoreError:
    """A database that cannot be used: for now, while its server does not answer, or as it is."""
    kind = StoreBusy if busy(error) else StoreError
    if isinstance(error, driver().OperationalError) and not _answers(conninfo):
        kind = StoreUnreachable
    return kind(f"{told}: {said(error)}", hint=hint_for(error))


def _answers(conninfo: str) -> bool:
    """Whether there is a server that takes connections, whoever asks; a bad address counts as one.

    An error of connecting does not tell: libpq gives no code for it.
    """
    pq = driver().pq
    found = pq.PGconn.ping(driver().conninfo.make_conninfo(conninfo, connect_timeout=5).encode())
    return found not in (pq.Ping.NO_RESPONSE, pq.Ping.REJECT)


def said(error: BaseException) -> str:
    """What is wrong, without anything that was stored."""
    if told := said_of_a_row(error):
        return told
    diagnosis = getattr(error, "diag", None)
    told = getattr(diagnosis, "message_primary", None) or str(error).partition("\n")[0]
    return str(told).partition(': "')[0]


def hint_for(error: BaseException) -> str:
    """What to do about it, by the server's code."""
    state = str(error.sqlstate or "08") if hasattr(error, "sqlstate") else ""
    return next(
        (hint for code, hint in _HINTS.items() if state.startswith(code)),
        "`text2mem doctor` tries the store",
    )


def unfit(error: Exception) -> ConfigurationError | None:
    """A text that Postgres cannot hold, where that is what is wrong."""
    if isinstance(error, UnicodeEncodeError):
        return half_a_character()
    if "NUL" in str(error):
        return ConfigurationError(
            "a text holds a NUL, which Postgres cannot store", hint="leave U+0000 out"
        )
    return None
