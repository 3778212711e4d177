"""Retention: what is past its class is gone at a tick, and nothing else is."""

from __future__ import annotations

from datetime import datetime

from text2mem.ir.record import Record
from text2mem_bench.episodes.cases import Case
from text2mem_bench.episodes.state import State
from text2mem_bench.episodes.system import Stores
from text2mem_bench.episodes.tally import Tally

TICKS = 12
"""At how many instants a tenant's store is looked at, the earliest ones first."""


def keep_retention(case: Case, stores: Stores, tally: Tally) -> None:
    """Move the clock to each instant at which a class runs out, tick, and look what went when.

    The classes are read from the registry: a store that has not noted them is found out. The
    stores are spent afterwards.
    """
    for tenant, memory in stores.memories.items():
        where = f"{case.id}/{tenant}"
        state = State.of(memory.adapter, tenant, stores.clock.at)
        due = {
            record.id: end
            for record in state.records.values()
            if not record.deleted and (end := _end(case, record)) is not None
        }
        gone: dict[str, datetime] = {}
        for instant in sorted(set(due.values()))[:TICKS]:
            stores.clock.at = max(stores.clock.at, instant)
            memory.tick()
            left = State.of(memory.adapter, tenant, stores.clock.at).records
            for id_ in due.keys() - gone.keys():
                if id_ not in left or left[id_].deleted:
                    gone[id_] = stores.clock.at
        for id_, end in due.items():
            expected = None if end > stores.clock.at else end
            tally.count(
                "retention", gone.get(id_) == expected, where,
                expected=f"memory {id_} gone at {end}", found=gone.get(id_),
            )  # fmt: skip


def _end(case: Case, record: Record) -> datetime | None:
    """When a memory is past its class; None where it has none that ends."""
    known = None if record.attribute is None else case.declared.attribute(record.attribute)
    found = case.declared.retention(record.retention_policy, known, record.type)
    if found is None or found.keep is None:
        return None
    return found.keep.after(record.created_at)
