"""Erasing a memory: its rows in every table, and what the journal keeps of its content
(docs/language.md, "Erasure, undo")."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing

from text2mem.adapters.base import Env
from text2mem.adapters.sql.damage import reading
from text2mem.adapters.sql.store import Store
from text2mem.ir.record import Record

# A search that costs less than LIKE, which begins anew at every quotation mark.
_ENTRIES = (
    "SELECT seq, changes FROM journal WHERE tenant = :tenant AND id = :id "
    "AND replace(changes, :named, '') <> changes"
)
_BLANK = "UPDATE journal SET changes = NULL WHERE tenant = :tenant AND id = :id"
_UNSAY = """
UPDATE journal SET said = NULL WHERE tenant = :tenant AND said IS NOT NULL AND trace_id IN (
    SELECT trace_id FROM journal WHERE tenant = :tenant AND id = :id
)
"""
_REMOVED = (
    "SELECT DISTINCT id FROM journal "
    "WHERE tenant = :tenant AND kind = 'removed' AND changes IS NOT NULL ORDER BY id"
)
_HOLDING = ("beliefs", "queue", "broken")


def erase(row: Record, env: Env, store: Store) -> None:
    """Erase a record: content, tags, words, vector, beliefs, values in the journal."""
    forget(store, row.id, row.lineage_children)
    store.remove(row, env.now)


def erase_taken_back(store: Store) -> Sequence[str]:
    """See ``Adapter.erase_taken_back``."""
    removed = {str(row["id"]): store.pk(str(row["id"])) for row in store.rows(_REMOVED)}
    held = store.rows(
        f"SELECT pk FROM memories WHERE {store.dialect.by_keys}",  # noqa: S608
        pks=store.dialect.array([*removed.values()]),
    )
    there = {row["pk"] for row in held}
    gone = [id_ for id_, pk in removed.items() if pk not in there]
    for id_ in gone:
        forget(store, id_)
    return gone


def forget(store: Store, id_: str, children: Sequence[str] = ()) -> None:
    """Delete the values that the journal and the tables ``_HOLDING`` have of a memory, and count an
    erasure: ``finish_erasures`` removes what the database file keeps beyond its tables.

    Other memories may have held its content until an undo took it from them: their entries of that
    time lose their values, too. Every program that touched one of these memories loses the words
    that it came from.
    """
    for holder in _former_holders(store, id_, children):
        if entries := _naming(store, holder, id_):
            store.execute(_UNSAY, id=int(holder))
            store.execute(f"{_BLANK} AND seq BETWEEN :first AND :last",
                          id=int(holder), first=min(entries), last=max(entries))  # fmt: skip
    store.execute(_UNSAY, id=int(id_))
    store.execute(_BLANK, id=int(id_))
    for table in _HOLDING:
        store.delete(table, id_)
    store.set_tenant("erasing = erasing + 1")


@reading
def _former_holders(store: Store, id_: str, now: Sequence[str]) -> set[str]:
    """The ids of the children that a memory has ``now``, or had according to the journal, except
    those that name it as a parent now."""
    children = set(now)
    for _, ids in _listed(store, id_, "lineage_children"):
        children.update(ids)
    if not children:
        return children
    holding = store.rows(
        f"SELECT id FROM memories WHERE {store.dialect.by_keys} "  # noqa: S608
        f"AND {store.dialect.holds('lineage_parents', 'held')}",
        pks=store.dialect.array([store.pk(child) for child in children]), held=id_,
    )  # fmt: skip
    return children.difference(str(row["id"]) for row in holding)


@reading
def _naming(store: Store, id_: str, parent: str) -> list[int]:
    """The numbers of a memory's journal entries that name a parent."""
    return [seq for seq, ids in _listed(store, id_, "lineage_parents") if parent in ids]


def _listed(store: Store, id_: str, field: str) -> Iterator[tuple[int, Sequence[str]]]:
    """Each list of ids that a field had before or after a journal entry of a memory, with the
    number of the entry; one by one, since a parent of many has many long lists."""
    with closing(store.execute(_ENTRIES, id=int(id_), named=f'"{field}"')) as rows:
        for row in rows:
            for ids in json.loads(row["changes"]).get(field, ()):
                yield row["seq"], ids or ()
