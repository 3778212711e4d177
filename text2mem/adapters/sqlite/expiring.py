"""What ends: the memories whose expiry is still to be carried out.

Of a deleted memory that is an expiry that erases (``Record.expires`` says the same of one record);
each of the two has a partial index.
"""

from __future__ import annotations

from datetime import datetime

from text2mem.adapters.sqlite.codec import from_row
from text2mem.adapters.sqlite.store import Store
from text2mem.ir.record import Record
from text2mem.ir.temporal import format_instant

_ERASES = "expire_action IN ('hard_delete', 'anonymize')"  # as the index has it, word for word
UNDUE = f"(m.expire_at IS NULL OR m.expire_at > :due OR (m.deleted = 1 AND NOT m.{_ERASES}))"
"""A condition on memories ``m``: none that is due."""

# Statements are put together of this module's constants alone; every value is a parameter.


def _of_both(what: str, when: str) -> str:
    """A statement over both kinds; ``what`` and ``when`` are constants of this module."""
    of_one = f"SELECT {what} FROM memories WHERE tenant = :tenant AND {when}"  # noqa: S608
    return f"{of_one} AND deleted = 0 UNION ALL {of_one} AND deleted = 1 AND {_ERASES}"


_DUE = f"{_of_both('*', 'expire_at <= :now')} ORDER BY id"
_COUNTED = f"SELECT count(*) FROM ({_of_both('1', 'expire_at <= :now')} LIMIT :limit)"  # noqa: S608
_WITHIN = f"{_of_both('1', 'expire_at > :after AND expire_at <= :until')} LIMIT 1"


def due(store: Store, now: datetime) -> list[Record]:
    """Those that are due at ``now``, in id order."""
    return [from_row(row) for row in store.execute(_DUE, now=format_instant(now))]


def count_due(store: Store, now: datetime, *, limit: int) -> int:
    """How many are due, counted up to a number that is many."""
    return int(store.scalar(_COUNTED, now=format_instant(now), limit=limit))


def falls_due(store: Store, after: datetime, until: datetime) -> bool:
    """Whether any ends in the span ``(after, until]``."""
    span = {"after": format_instant(after), "until": format_instant(until)}
    return store.scalar(_WITHIN, **span) is not None
