"""Memories whose expiry is due (``Record.expires`` is the same condition on a record), or whose
temporary demotion is over. Deleted and other memories have a partial index each."""

from __future__ import annotations

from datetime import datetime

from text2mem.adapters.sql.codec import from_row
from text2mem.adapters.sql.store import Store
from text2mem.ir.record import Record
from text2mem.ir.times.temporal import format_instant

_ERASES = "expire_action IN ('hard_delete', 'anonymize')"  # as the index has it, word for word
UNDUE = f"(m.expire_at IS NULL OR m.expire_at > :due OR (m.deleted = 1 AND NOT m.{_ERASES}))"
"""The condition that the expiry of memory ``m`` is not due at ``:due``."""

# The statements consist of constants of this module; every value is a parameter.


def _of_both(what: str, when: str) -> str:
    """A query for columns (``what``) of the expiries that meet a condition (``when``), of deleted
    and of other memories, each part by its index."""
    of_one = f"SELECT {what} FROM memories WHERE tenant = :tenant AND {when}"  # noqa: S608
    return f"{of_one} AND deleted = 0 UNION ALL {of_one} AND deleted = 1 AND {_ERASES}"


_DUE = _of_both("*", "expire_at <= :now")
_ANY_DUE = f"{_of_both('1', 'expire_at <= :now')} LIMIT 1"
_ENDING = f"{_of_both('1', 'expire_at > :after AND expire_at <= :until')} LIMIT 1"
_OVER = "SELECT * FROM memories WHERE tenant = :tenant AND demoted_until <= :now"
_WAKING = """SELECT 1 FROM memories
WHERE tenant = :tenant AND demoted_until > :after AND demoted_until <= :until LIMIT 1"""


def due(store: Store, now: datetime) -> list[Record]:
    """The memories whose expiry is due at ``now`` or whose demotion is over, in id order."""
    at = format_instant(now)
    rows = {row["id"]: row for sql in (_DUE, _OVER) for row in store.execute(sql, now=at)}
    return [from_row(rows[id_]) for id_ in sorted(rows)]


def any_over(store: Store, now: datetime) -> bool:
    """Whether a temporary demotion is over and has not been reversed yet."""
    return store.scalar(f"{_OVER} LIMIT 1", now=format_instant(now)) is not None


def any_due(store: Store, now: datetime) -> bool:
    """Whether an expiry is due and has not been carried out yet."""
    return store.scalar(_ANY_DUE, now=format_instant(now)) is not None


def falls_due(store: Store, after: datetime, until: datetime) -> bool:
    """Whether an expiry or the end of a demotion falls due in ``(after, until]``."""
    span = {"after": format_instant(after), "until": format_instant(until)}
    return any(store.scalar(sql, **span) is not None for sql in (_ENDING, _WAKING))
