"""How likely a step is right, by what several witnesses say of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text2mem.planner.reader_limits import CHANGES, HIDES, LIKELY, SAFE, Weights
from text2mem.planner.trust import odds, trusted

SHARES = st.floats(0.0, 1.0)


def test_odds_are_cut_and_even_ones_say_nothing() -> None:
    assert odds(0.5) == 0.0
    assert odds(1.0) == pytest.approx(-odds(0.0)) == pytest.approx(3.0)
    assert odds(0.9) == pytest.approx(2.197, abs=1e-3)


@pytest.mark.parametrize("weights", [HIDES, CHANGES])
@given(told=st.tuples(SHARES, SHARES), more=SHARES)
def test_no_witness_that_is_surer_makes_a_step_less_likely(
    weights: Weights, told: tuple[float, float], more: float
) -> None:
    picked, heard = told
    likely = trusted(weights, picked, heard)
    assert trusted(weights, max(picked, more), heard) >= likely - 1e-9
    assert trusted(weights, picked, max(heard, more)) >= likely - 1e-9


def test_what_both_witnesses_bear_out_runs_and_what_neither_does_is_asked() -> None:
    for weights, least in ((HIDES, SAFE), (CHANGES, LIKELY)):
        assert trusted(weights, 0.999, 0.99) >= least
        assert trusted(weights, 0.1, 0.01) < least
    # What is not there has a neighbour of which a reader may be certain; the words are not.
    assert trusted(HIDES, 0.97, 0.02) < SAFE
