"""Many plain memories at once: the same rows as one by one, one statement a table."""

from __future__ import annotations

from collections.abc import Sequence

from text2mem.adapters.base import Env
from text2mem.adapters.sqlite.journal import INSERT, encoded
from text2mem.adapters.sqlite.making import drafted
from text2mem.adapters.sqlite.store import Store
from text2mem.adapters.sqlite.verbs import embed
from text2mem.ir.journal import Trail
from text2mem.ir.ops import Encode
from text2mem.ir.patch import diff
from text2mem.ir.temporal import format_instant


def encode_many(ops: Sequence[Encode], env: Env, trail: Trail, store: Store) -> Sequence[str]:
    """Encode memories that are no facts and have no parents; their ids in order."""
    ids = store.take_ids(len(ops))
    records = [drafted(op, id_, env, store)[0] for op, id_ in zip(ops, ids, strict=True)]
    store.insert(records)
    embed(records, env, store)
    at, actor = format_instant(env.now), env.context.actor
    store.connection.executemany(
        INSERT,
        [
            (store.number, trail.trace_id, step, "Encode", at, actor, int(record.id), "created",
             encoded(diff(None, record)))
            for step, record in enumerate(records, start=1)
        ],
    )  # fmt: skip
    return ids
