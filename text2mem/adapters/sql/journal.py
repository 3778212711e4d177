"""The journal: one row per step and memory, with its changed fields; and restoring states."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any

from text2mem.adapters.base import Effect, Env, Touched
from text2mem.adapters.sql.codec import instant, to_json
from text2mem.adapters.sql.damage import reading
from text2mem.adapters.sql.facts import check_room
from text2mem.adapters.sql.store import Store
from text2mem.adapters.sql.verbs import embed
from text2mem.ir.journal import Entry, Trail
from text2mem.ir.patch import diff, shortened
from text2mem.ir.record import changed
from text2mem.ir.result import Change
from text2mem.ir.times.temporal import format_instant

INSERT = (
    "INSERT INTO journal (tenant, trace_id, step, op, undoes, at, actor, said, id, kind, changes) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_UNSAY = "UPDATE journal SET said = NULL WHERE tenant = :tenant AND trace_id = :trace_id"
_ERASES = (
    "SELECT EXISTS (SELECT 1 FROM journal "
    "WHERE tenant = :tenant AND trace_id = :trace_id AND changes IS NULL)"
)


def write_entries(store: Store, trail: Trail, effect: Effect, env: Env) -> None:
    """Write an entry for each touched memory, without values for a forgotten one. If there is one,
    the words that the program came from are deleted from its entries, too."""
    at, actor = format_instant(env.now), env.context.actor
    rows = []
    for (before, after), changes in zip(effect.touched, effect.changes, strict=True):
        known = after or before
        assert known is not None
        kind = "created" if before is None else "removed" if after is None else "changed"
        forgotten = known.id in effect.forgotten
        if changes or forgotten or kind != "changed":
            fields = {each.field: [each.before, each.after] for each in shortened(changes)}
            rows.append((int(known.id), kind, None if forgotten else to_json(fields)))
    if effect.forgotten:
        store.execute(_UNSAY, trace_id=trail.trace_id)
    said = words_of(store, trail, env) if trail.step and not effect.forgotten else None
    undoes = trail.undoes or None
    head = store.number, trail.trace_id, trail.step, trail.op, undoes, at, actor, said
    rows.sort(key=itemgetter(0))
    store.many(INSERT, [(*head, *row) for row in rows])


def words_of(store: Store, trail: Trail, env: Env) -> str | None:
    """The words that a program came from; None if an entry of the program was forgotten."""
    said = env.context.said
    if said is not None and store.scalar(_ERASES, trace_id=trail.trace_id):
        return None
    return said


def changes_so_far(store: Store) -> int:
    """A number that grows with every journal entry, and with every change of a vector."""
    last = "coalesce((SELECT max(seq) FROM journal WHERE tenant = :tenant), 0)"
    return int(store.of_tenant(f"{last} + vectors_made + vectors_changed"))


def restore(pairs: Sequence[Touched], env: Env, store: Store) -> Effect:
    """See ``Adapter.restore``. Memories that go are removed first. Facts that change are pending
    until all states are written, so that the order does not matter."""
    touched: list[Touched] = []
    facts = [before for before, after in pairs if before and after and before.is_fact]
    store.execute(
        f"UPDATE memories SET pending = 1 WHERE {store.dialect.by_keys}",  # noqa: S608
        pks=store.dialect.array([store.pk(fact.id) for fact in facts]),
    )
    for before, after in sorted(pairs, key=lambda pair: pair[1] is not None):
        if after is None:
            assert before is not None
            store.remove(before, env.now)
        elif before is None:
            after = replace(after, version=1, updated_at=env.now)
            check_room(after, store)
            store.insert([after])
        elif diff(before, after):
            after = changed(before, after, env.now)
            store.write(before, after)
        else:
            continue
        touched.append((before, after))
    restored = {after.id: after for _, after in pairs if after is not None}
    for fact in facts:
        check_room(restored[fact.id], store)
        store.set_columns(store.pk(fact.id), {"pending": int(restored[fact.id].pending)})
    ids = tuple((after or before).id for before, after in pairs)  # type: ignore[union-attr]
    warnings = embed(touched, env, store)
    return Effect(affected=ids, touched=tuple(touched), warnings=tuple(warnings))


@reading
def entry_of(row: Any) -> Entry:
    id_ = str(row["id"])
    changes = {} if row["changes"] is None else json.loads(row["changes"])
    return Entry(
        seq=row["seq"], trail=Trail(row["trace_id"], row["step"], row["op"], row["undoes"] or ""),
        at=instant(row["at"]), actor=row["actor"], id=id_, kind=row["kind"],
        changes=tuple(Change(id_, name, old, new) for name, (old, new) in changes.items()),
        forgotten=row["changes"] is None, said=row["said"] or "",
    )  # fmt: skip
