"""A program that is printed and read again is the same program, and does the same."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties import small_world as small
from tests.properties.callers import Caller
from tests.properties.profile import examples
from tests.properties.vocabulary import BEGIN, Glimpse
from tests.properties.worlds import BACKENDS, SideBySide
from tests.strategies import NOW
from tests.strategies import programs as any_programs
from text2mem.ir.dialect import canonicalise
from text2mem.ir.ops import Op
from text2mem.parser import dump, parse
from text2mem.pipeline import validate

ZONES = st.sampled_from(("UTC", "Shanghai"))


@examples(150)
@given(program=small.programs(Glimpse(ids=("1", "2"), unknown="3")), zone=ZONES)
def test_the_programs_of_the_small_world_are_legal(program: Sequence[Op], zone: str) -> None:
    printed = [dump(op) for op in program]
    tz = Caller(zone=zone).context(BEGIN).tz
    assert [d for d in validate(printed, now=BEGIN, tz=tz) if d.severity == "error"] == []
    assert canonicalise(printed).instances == printed


@pytest.mark.parametrize("backend", BACKENDS)
@examples(40)
@given(data=st.data(), zone=ZONES)
def test_what_is_printed_and_read_does_the_same(
    data: st.DataObject, backend: str, zone: str
) -> None:
    """One store gets the ops, the other what is read of them when they have been printed."""
    stores = SideBySide(NOW, {name: BACKENDS[backend]() for name in ("typed", "read")})
    caller = Caller(zone=zone, embedder="toy")
    context = caller.context(NOW)
    for _ in range(data.draw(st.integers(1, 5))):
        program = data.draw(small.programs(stores.glimpse()) | any_programs(most=3))
        read = parse([dump(op) for op in program], now=stores.now, tz=context.tz)
        assert read == tuple(program)
        stores.run({"typed": program, "read": read}, caller)
        stores.compare()
        stores.now += timedelta(hours=6)
    stores.close()
