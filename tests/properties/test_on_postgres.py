"""What is tried at length elsewhere, in a few examples on Postgres, where each costs a second."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.properties import test_dry_run, test_many_at_once, test_programs_agree, test_undo
from tests.properties.callers import Caller
from tests.properties.profile import examples
from tests.properties.vocabulary import BEGIN
from tests.properties.worlds import STORES, SideBySide, TakingTurns
from text2mem.adapters.base import Adapter
from text2mem.adapters.postgres.adapter import PostgresAdapter
from text2mem_bench.oracle.adapter import PlainAdapter

EMBEDDERS = st.sampled_from(("none", "toy"))


def body(test: Any) -> Callable[..., None]:
    """What a property of another module does with one example."""
    inner: Callable[..., None] = test.hypothesis.inner_test
    return inner


class Histories(test_programs_agree.Histories):
    """Postgres beside the plain model."""

    def __init__(self) -> None:
        super().__init__()
        self.stores.close()
        self.stores = SideBySide(BEGIN, {"plain": PlainAdapter(), "postgres": STORES["postgres"]()})


class Connections(test_programs_agree.Histories):
    """Two connections to one database take turns, beside a store of one connection."""

    def __init__(self) -> None:
        super().__init__()
        self.stores.close()
        plain, one = PlainAdapter(), STORES["postgres"]()
        assert isinstance(one, PostgresAdapter)
        other: Adapter = PostgresAdapter(one.url)
        self.stores = TakingTurns(
            BEGIN, {"plain": plain, "postgres": one}, waiting={"plain": plain, "postgres": other}
        )


TestBackends = Histories.TestCase
TestBackends.settings = examples(6, steps=8)
TestConnections = Connections.TestCase
TestConnections.settings = examples(3, steps=6)


@examples(2)
@given(data=st.data(), embedder=EMBEDDERS)
def test_undo_puts_everything_back(data: st.DataObject, embedder: str) -> None:
    body(test_undo.test_undo_puts_everything_back)(data, "postgres", embedder)


@examples(10)
@given(
    data=st.data(), embedder=EMBEDDERS, meanwhile=st.sampled_from(test_dry_run.MEANWHILE),
    waits=st.tuples(test_dry_run.WAITS, test_dry_run.WAITS),
)  # fmt: skip
def test_a_run_does_what_its_dry_run_has_shown(
    data: st.DataObject, embedder: str, meanwhile: str, waits: Any
) -> None:
    body(test_dry_run.test_a_run_does_what_its_dry_run_has_shown)(
        data, "postgres", embedder, meanwhile, waits
    )


@examples(6)
@given(data=st.data(), caller=test_many_at_once.CALLERS, group=st.sampled_from((1, 2, 256)))
def test_programs_in_a_group(data: st.DataObject, caller: Caller, group: int) -> None:
    body(test_many_at_once.test_programs_in_a_group)(data, "postgres", caller, group)


@examples(6)
@given(
    data=st.data(), caller=test_many_at_once.CALLERS, only_plain=st.booleans(),
    block=st.sampled_from((1, 2, 5_000)),
)  # fmt: skip
def test_encodes_in_one_program(
    data: st.DataObject, caller: Caller, only_plain: bool, block: int
) -> None:
    body(test_many_at_once.test_encodes_in_one_program)(data, "postgres", caller, only_plain, block)
