"""Episodes of experience are erased with the memories that they rest on (docs/experience.md)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

from text2mem.adapters.base import Adapter, Env, Scope
from text2mem.errors import Text2MemError
from text2mem.executor.services import Prepared
from text2mem.ir.context import ExecutionContext
from text2mem.ir.journal import Trail
from text2mem.ir.ops import ByFilter, ByIds, Delete
from text2mem.ir.record import Record, is_id
from text2mem.providers.caching import ANSWERS


def rests_on(episode: Record) -> tuple[str, ...]:
    """The ids of the memories that an episode of experience rests on; none for any other memory."""
    try:
        return tuple(filter(is_id, json.loads(episode.facets["rests_on"])))
    except (KeyError, TypeError, ValueError):
        return ()


def still_there(ids: Iterable[str], adapter: Adapter, context: ExecutionContext) -> set[str]:
    """Those of the memories that have been neither erased nor anonymised, whoever may read them."""
    everybody = replace(context, actor=None, require_actor=False)
    scope = Scope.of_all(everybody, context.clock.now().replace(microsecond=0))
    return {row.id for row in adapter.resolve(ByIds(tuple(ids)), scope).rows if row.payload}


def _undone(traces: Iterable[str], adapter: Adapter, context: ExecutionContext) -> set[str]:
    """The traces of undone programs, those of ``traces`` among them."""
    ids = {e.id for trace in traces for e in adapter.entries(context, trace_id=trace)}
    return {entry.trail.undoes for entry in adapter.entries(context, ids=tuple(ids))}


def erase_resting(adapter: Adapter, context: ExecutionContext, *, patient: bool = False) -> bool:
    """Erase the episodes, of every actor, that rest on erased memories or came of a program that
    was undone; whether nothing is left of them.

    The cache of models' answers is emptied: an answer may quote what was erased. Within a
    transaction the bank is left alone, and False is returned: nothing is committed yet, and the
    transaction may hold the bank's lock.
    """
    own = context.of_its_bank()
    bank = adapter.bank
    try:
        if adapter.erasing:
            ANSWERS.clear()
        if adapter.in_transaction:
            return False
        bank = bank or adapter.beside(own.tenant)
        if bank is None:
            return True
        env = Env.of(own, Prepared())
        scope = Scope(context=own, now=env.now)
        with bank.transaction(write=False):
            held = bank.resolve(ByFilter(type="episode"), scope).rows
        there = still_there({id_ for row in held for id_ in rests_on(row)}, adapter, context)
        undone = _undone({row.topic for row in held if row.topic}, adapter, context)
        doomed = [
            row.id for row in held
            if row.topic in undone or not there.issuperset(rests_on(row))
        ]  # fmt: skip
        if doomed:
            target = ByIds(tuple(doomed))
            with bank.transaction():
                rows = bank.resolve(target, scope).rows
                effect = bank.lower(Delete(target=target, soft=False), rows, env)
                bank.journal(Trail(own.trace(), 1, "Delete"), effect, env)
        return bank.finish_erasures(patient=patient)
    except Text2MemError:
        return False  # what was erased is committed: this is tried again by the next call
    finally:
        if bank is not None and bank is not adapter.bank:
            bank.close()
