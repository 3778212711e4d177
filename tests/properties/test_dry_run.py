"""A run does what its dry run has shown, or is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

from tests.conformance.toys import Page
from tests.properties import small_world as small
from tests.properties.answers import entries, plain, state, told
from tests.properties.callers import EMBEDDERS, LOCAL, Caller, services
from tests.properties.lives import life
from tests.properties.profile import examples
from tests.properties.vocabulary import BEGIN
from tests.properties.worlds import BACKENDS, SideBySide
from text2mem.executor import Prepared, execute
from text2mem.ir.ops import ByIds, BySearch, Content, Delete, Encode, Expire, Lock, StepRef
from text2mem.ir.ports import Digest
from text2mem.ir.times.duration import Duration

WAITS = st.sampled_from((timedelta(), timedelta(seconds=1), timedelta(hours=6), timedelta(days=40)))
MEANWHILE = ("nothing", "nothing", "read", "dry run", "program", "tick", "registry", "reindex")


@dataclass
class Fickle:
    """Model services that never give the same answer twice."""

    asked: int = 0

    def summarise(
        self, texts: Sequence[str], *, focus: str | None, max_tokens: int, lang: str | None
    ) -> Digest:
        self.asked += 1
        return Digest(f"digest {self.asked}", extractive=False)

    def split(self, text: str, *, instruction: str) -> Sequence[str]:
        self.asked += 1
        return [f"part {self.asked}", text]

    def fetch(self, url: str) -> Page:
        self.asked += 1
        return Page(f"page {self.asked}")


def steps(answer: Any) -> Any:
    """A result but for what tells a dry run from a run."""
    told_apart = ("dry_run", "trace_id")
    return [
        {key: value for key, value in step.items() if key not in told_apart}
        for step in answer["results"]
    ]


@pytest.mark.parametrize("backend", BACKENDS)
@examples(60)
@given(
    data=st.data(),
    embedder=st.sampled_from(("none", "toy")),
    meanwhile=st.sampled_from(MEANWHILE),
    waits=st.tuples(WAITS, WAITS),
)
def test_a_run_does_what_its_dry_run_has_shown(
    data: st.DataObject, backend: str, embedder: str, meanwhile: str, waits: Sequence[timedelta]
) -> None:
    stores = life(data, backend, embedder)
    store, caller, fickle = stores.stores[backend], Caller(embedder=embedder), Fickle()
    prepared = Prepared(fickle, fickle, EMBEDDERS[embedder], fickle)
    stores.now = then = stores.now + waits[0]
    local = LOCAL.context(then)

    program = data.draw(small.deeds(stores.glimpse()))
    untouched = state(store, then, stores.last_id + 9), entries(store)
    shown = execute(program, store, caller.context(then).dry(), prepared=prepared)
    assert (state(store, then, stores.last_id + 9), entries(store)) == untouched
    assume(shown.ok)

    mark, version = store.mark(local), store.registry().version
    if meanwhile == "read":
        for _ in range(2):
            stores.run([data.draw(small.reads(stores.glimpse()))], prepared=prepared)
    elif meanwhile == "dry run":
        stores.run(data.draw(small.programs(stores.glimpse())), Caller(dry=True))
    elif meanwhile == "program":
        stores.run(data.draw(small.deeds(stores.glimpse())))
    elif meanwhile == "tick":
        stores.tick()
    elif meanwhile == "registry":
        stores.register(data.draw(small.registries(version + 1)))
    elif meanwhile == "reindex":
        stores.reindex(data.draw(st.sampled_from(("none", "toy"))), afresh=data.draw(st.booleans()))
    moved = (store.mark(local), store.registry().version) != (mark, version)
    moved = moved or store.falls_due(local, then, then + waits[1])
    stores.now += waits[1]

    before = state(store, then, stores.last_id + 9)
    ran = stores.run(program, caller, prepared=prepared, basis=shown.basis)
    after = state(store, then, stores.last_id + 9)
    if moved:
        event("moved")
        assert [step["error"]["code"] for step in ran["results"]] == ["store-moved"]
        assert after == before
    else:
        event("done")
        assert steps(ran) == steps(plain(told(shown)))
        for change in (change for step in shown.results for change in step.changes):
            last = {c.field: c.after for s in shown.results for c in s.changes if c.id == change.id}
            assert change.id not in after or after[change.id][change.field] == last[change.field]
    stores.close()


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_search_that_vectors_would_change_is_refused(backend: str) -> None:
    """Vectors are in no journal: the hits of a dry run may still be others once they are made."""
    stores = SideBySide(BEGIN, {backend: BACKENDS[backend]()})
    for text in ("milk", "tea", "Call Bo"):
        stores.run([Encode(content=Content("text", text))])
    store, caller = stores.stores[backend], Caller(embedder="toy")
    program = [Delete(target=BySearch(query="茶 milk", limit=9))]
    shown = execute(program, store, caller.context(BEGIN).dry(), prepared=services("toy"))
    assert shown.results[0].affected == ("1",)
    stores.reindex("toy", afresh=False)
    ran = stores.run(program, caller, basis=shown.basis)
    assert ran["results"][0]["error"]["code"] == "store-moved"
    assert stores.run(program, caller)["results"][0]["affected"] == ["1", "2"]


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_dry_run_shows_what_the_tick_in_front_of_it_warns_of(backend: str) -> None:
    stores = SideBySide(BEGIN, {backend: BACKENDS[backend]()})
    one = ByIds((StepRef(1),))
    stores.run([
        Encode(content=Content("text", "milk")),
        Expire(target=one, ttl=Duration(0, 1), on_expire="hard_delete"),
        Lock(target=one, mode="read_only"),
    ])  # fmt: skip
    stores.now += timedelta(days=1)
    program = [Encode(content=Content("text", "tea"))]
    shown = execute(program, stores.stores[backend], Caller().context(stores.now).dry())
    assert shown.results[0].warnings == ("memory 1 is locked: soft-deleted instead of erased",)
    ran = stores.run(program, basis=shown.basis)
    assert steps(ran) == steps(plain(told(shown)))
