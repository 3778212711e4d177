"""Undo puts everything back: every field, every index, and what the ledger answers."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

from tests.properties.answers import answers, glance, plain, state
from tests.properties.callers import Caller
from tests.properties.lives import life
from tests.properties.profile import examples
from tests.properties.small_world import deeds
from tests.properties.worlds import BACKENDS, difference
from text2mem.adapters.base import Adapter
from text2mem.ir.context import ExecutionContext


def everything(
    adapter: Adapter, now: datetime, most: int, embedder: str, *, known: datetime
) -> dict[str, Any]:
    """All that can be seen of a store, but versions and times of change."""
    memories = state(adapter, now, most)
    seen = glance(adapter, now)
    for row in [*memories.values(), *(r for k, v in seen.items() if k[:4] == "seen" for r in v[1])]:
        del row["version"], row["updated_at"]
    asked = answers(adapter, now, embedder, known=known)
    return {"memories": plain(memories), "seen": plain(seen), "answers": asked}


def forgotten(adapter: Adapter, trace: str) -> bool:
    return any(e.forgotten for e in adapter.entries(ExecutionContext(), trace_id=trace))


@pytest.mark.parametrize("backend", BACKENDS)
@examples(60)
@given(data=st.data(), embedder=st.sampled_from(("none", "toy")))
def test_undo_puts_everything_back(data: st.DataObject, backend: str, embedder: str) -> None:
    stores = life(data, backend, embedder)
    store, caller = stores.stores[backend], Caller(embedder=embedder)
    most, now = stores.last_id + 9, stores.now
    before = everything(store, now, most, embedder, known=now)
    done = stores.run(data.draw(deeds(stores.glimpse())), caller)
    trace = stores.traces[-1]
    assume(done["ok"] and not forgotten(store, trace))
    assume(store.entries(caller.context(now), trace_id=trace))
    between = everything(store, now, most, embedder, known=now)
    undone = stores.undo(trace, caller)
    if not undone["ok"]:
        # The program itself was let through by a policy that lets no other change through.
        event(f"refused: {undone['results'][0]['error']['code']}")
        assert undone["results"][0]["error"]["code"] == "locked"
        return
    event("undone")
    after = everything(store, now, most, embedder, known=now)
    assert after == before, difference(after, before)
    if not undone["results"][0]["changes"]:
        return  # the steps of the program had taken each other back
    again = stores.undo(stores.traces[-1], caller)
    assert again["ok"], again
    after = everything(store, now, most, embedder, known=now)
    assert after == between, difference(after, between)
    stores.close()
