"""Forgetting: what the tables keep of a memory that was erased or anonymised.

What the database keeps beyond its tables is for ``finish_erasures``.
"""

from __future__ import annotations

from text2mem.adapters.sql.store import Store

_BLANK = "UPDATE journal SET changes = NULL WHERE tenant = :tenant AND id = :id"
_UNSAY = """
UPDATE journal SET said = NULL WHERE tenant = :tenant AND said IS NOT NULL AND trace_id IN (
    SELECT trace_id FROM journal WHERE tenant = :tenant AND id = :id
)
"""
_HOLDING = ("beliefs", "queue", "broken")


def forget(store: Store, id_: str) -> None:
    """What the journal and the beliefs hold of a memory is gone, and the file is to be cleaned.

    So is what the journal holds of memories that had its content for a while, until an undo took
    it from them: nobody would find it there any more. And so are the words of every program that
    touched one of them.
    """
    pk = store.pk(id_)
    for (holder,) in store.execute(store.dialect.ever_held, id=int(id_), pk=pk).fetchall():
        first, last = store.execute(
            store.dialect.while_held, holder=int(holder), holder_pk=store.pk(holder), held=id_
        ).fetchone()
        if first is not None:
            store.execute(_UNSAY, id=int(holder))
            store.execute(f"{_BLANK} AND seq BETWEEN :first AND :last",
                          id=int(holder), first=first, last=last)  # fmt: skip
    store.execute(_UNSAY, id=int(id_))
    store.execute(_BLANK, id=int(id_))
    for table in _HOLDING:
        store.bound(f"DELETE FROM {table} WHERE {store.dialect.keyed}", store.key(id_))  # noqa: S608
    store.execute(f"UPDATE tenants SET erasing = erasing + 1 WHERE {store.dialect.own}")  # noqa: S608
