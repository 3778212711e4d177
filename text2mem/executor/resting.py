"""Erase episodes of experience with the memories that they rest on (docs/experience.md)."""

from __future__ import annotations

import json
from collections.abc import Iterable

from text2mem.adapters.base import Adapter, Env, Scope
from text2mem.errors import Text2MemError
from text2mem.executor.prepared import Prepared
from text2mem.ir.context import ExecutionContext
from text2mem.ir.journal import Trail
from text2mem.ir.ops import ByFilter, ByIds, Delete
from text2mem.ir.record import Record, is_id
from text2mem.providers.caching import ANSWERS


def rests_on(episode: Record) -> tuple[str, ...]:
    """The ids of the memories that an episode of experience rests on; empty for other memories."""
    try:
        return tuple(filter(is_id, json.loads(episode.facets["rests_on"])))
    except (KeyError, TypeError, ValueError):
        return ()


def still_there(ids: Iterable[str], adapter: Adapter, context: ExecutionContext) -> set[str]:
    """The ids of those memories, of any actor, that were neither erased nor anonymised."""
    rows = adapter.find(ids, context.of_everyone())
    return {id_ for id_, row in rows.items() if row.payload}  # an anonymised one has no payload


def erase_resting(adapter: Adapter, context: ExecutionContext, *, patient: bool = False) -> bool:
    """Erase the episodes of experience, of every actor, that rest on erased or anonymised memories,
    or that come from a program that was undone; ``patient`` also does what takes long. Return
    whether nothing of them is left in the file.

    The cache of models' answers is cleared if something was erased, since one may quote it.
    Within a transaction the bank is not changed, and False is returned: nothing is committed yet,
    and the transaction may hold the bank's lock.
    """
    bank_context = context.of_its_bank()
    bank = adapter.bank
    try:
        if adapter.erasing:
            ANSWERS.clear()
        if adapter.in_transaction:
            return False
        bank = bank or adapter.beside(bank_context.tenant)
        if bank is None:
            return True
        env = Env.of(bank_context, Prepared())
        scope = Scope(context=bank_context, now=env.now)
        with bank.transaction(write=False):
            episodes = bank.resolve(ByFilter(type="episode"), scope).rows
        present = still_there({id_ for row in episodes for id_ in rests_on(row)}, adapter, context)
        undone = adapter.undone({row.topic for row in episodes if row.topic}, context)
        to_erase = [
            row.id for row in episodes
            if row.topic in undone or not present.issuperset(rests_on(row))
        ]  # fmt: skip
        if to_erase:
            target = ByIds(tuple(to_erase))
            with bank.transaction():
                rows = bank.resolve(target, scope).rows
                effect = bank.lower(Delete(target=target, soft=False), rows, env)
                bank.journal(Trail(bank_context.trace(), 1, "Delete"), effect, env)
        return bank.finish_erasures(patient=patient)
    except Text2MemError:
        return False  # the erasure itself is committed; the next call tries this again
    finally:
        if bank is not None and bank is not adapter.bank:
            bank.close()
