"""Many programs in few transactions, and many Encodes in one program, do what one by one does."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties.answers import told
from tests.properties.callers import Caller, services
from tests.properties.contents import encodes
from tests.properties.profile import examples
from tests.properties.small_world import beginnings, deeds
from tests.properties.vocabulary import ACTORS, BEGIN
from tests.properties.worlds import BACKENDS, STORES, SideBySide
from text2mem.adapters.base import Adapter
from text2mem.adapters.sql import bulk
from text2mem.adapters.sql.facts import is_fact
from text2mem.errors import ExecutionError
from text2mem.executor import encode_many, execute, execute_many
from text2mem.ir.ops import Encode, Op

CALLERS = st.builds(
    Caller,
    actor=st.sampled_from(ACTORS),
    dry=st.sampled_from((False, False, False, True)),
    embedder=st.sampled_from(("none", "toy")),
)


def pair(data: st.DataObject, backend: str) -> SideBySide:
    """Two stores of one backend with the same memories in them."""
    stores = SideBySide(BEGIN, {name: STORES[backend]() for name in ("one by one", "at once")})
    for op in data.draw(beginnings(BEGIN)):
        stores.run([op], Caller(embedder="toy"))
    return stores


def plain(op: Op) -> bool:
    """Whether an op is one of those that a store may write without a record for each."""
    assert isinstance(op, Encode)
    return not op.lineage_parents and not is_fact(op.content.value)


@pytest.mark.parametrize("backend", BACKENDS)
@examples(30)
@given(data=st.data(), caller=CALLERS, group=st.sampled_from((1, 2, 256)))
def test_programs_in_a_group(data: st.DataObject, backend: str, caller: Caller, group: int) -> None:
    stores = pair(data, backend)
    glimpse = stores.glimpse()
    programs = data.draw(st.lists(deeds(glimpse), min_size=1, max_size=5))
    context = caller.context(stores.now, "many")

    def run(name: str, store: Adapter) -> Any:
        prepared = services(caller.embedder)
        if name == "at once":
            results = list(execute_many(programs, store, context, prepared=prepared, group=group))
        else:
            results = [execute(ops, store, context, prepared=prepared) for ops in programs]
        return [told(result) for result in results]

    stores.each(run)
    stores.last_id += 99
    stores.compare()
    stores.close()


@pytest.mark.parametrize("backend", BACKENDS)
@examples(40)
@given(
    data=st.data(), caller=CALLERS, only_plain=st.booleans(), block=st.sampled_from((1, 2, 5_000))
)
def test_encodes_in_one_program(
    data: st.DataObject, backend: str, caller: Caller, only_plain: bool, block: int
) -> None:
    stores = pair(data, backend)
    any_ = encodes(stores.glimpse(), 0)
    ops = data.draw(st.lists(any_.filter(plain) if only_plain else any_, min_size=1, max_size=5))
    context = caller.context(stores.now, "many")

    def run(name: str, store: Adapter) -> Any:
        prepared = services(caller.embedder)
        if name == "one by one":
            result = execute(ops, store, context, prepared=prepared)
            if result.error is not None:
                return result.error.code
            return [id_ for step in result.results for id_ in step.affected]
        try:
            with patch.object(bulk, "BLOCK", block):
                _, effect = encode_many(ops, store, context, prepared=prepared)  # type: ignore[arg-type]
                return list(effect.affected)
        except ExecutionError as error:
            return error.code

    stores.each(run)
    stores.last_id += 9
    stores.compare()
    stores.close()
