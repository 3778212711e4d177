"""Erase episodes of experience with the memories that they rest on (docs/experience.md)."""

from __future__ import annotations

import json
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
    """The ids of the memories that an episode of experience rests on; empty for other memories."""
    try:
        return tuple(filter(is_id, json.loads(episode.facets["rests_on"])))
    except (KeyError, TypeError, ValueError):
        return ()


def erase_resting(
    adapter: Adapter, context: ExecutionContext, *, undone: str | None, patient: bool
) -> bool:
    """Erase the episodes of experience, of every actor, that rest on erased or anonymised memories,
    and those of the program with the trace ``undone``. Return whether nothing of them is left in
    the file.

    The cache of models' answers is cleared if something was erased, since an answer may quote it.
    ``patient`` also does what takes long.
    """
    bank_context = context.of_its_bank()
    bank = adapter.bank
    try:
        if adapter.erasing:
            ANSWERS.clear()
        bank = bank or adapter.beside(bank_context.tenant)
        if bank is None:
            return True
        env = Env.of(bank_context, Prepared())
        scope = Scope(context=bank_context, now=env.now)
        with bank.transaction(write=False):
            episodes = bank.resolve(ByFilter(type="episode"), scope).rows
        basis = ByIds(tuple({id_ for row in episodes for id_ in rests_on(row)}))
        local_user = replace(context, actor=None, require_actor=False)
        found = adapter.resolve(basis, Scope.of_all(local_user, env.now)).rows
        present = {row.id for row in found if row.payload}  # an anonymised memory has no payload
        to_erase = [
            row.id for row in episodes
            if not present.issuperset(rests_on(row)) or (row.topic == undone and undone is not None)
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
