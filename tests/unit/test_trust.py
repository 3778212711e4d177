"""How likely a step is right, by what several witnesses say of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text2mem.planner.reader_limits import CHANGES, HIDES, LIKELY, SAFE, Weights
from text2mem.planner.trust import odds, trusted, well_worded
from text2mem.planner.wording_weights import WORDED

SHARES = st.floats(0.0, 1.0)
APART = st.floats(-6.0, 6.0)


def test_odds_are_cut_and_even_ones_say_nothing() -> None:
    assert odds(0.5) == 0.0
    assert odds(1.0) == pytest.approx(-odds(0.0)) == pytest.approx(3.0)
    assert odds(0.9) == pytest.approx(2.197, abs=1e-3)


@pytest.mark.parametrize("weights", [HIDES, CHANGES])
@given(told=st.tuples(SHARES, SHARES, APART), more=SHARES, further=APART)
def test_no_witness_that_is_surer_makes_a_step_less_likely(
    weights: Weights, told: tuple[float, float, float], more: float, further: float
) -> None:
    picked, heard, apart = told
    likely = trusted(weights, *told)
    assert trusted(weights, max(picked, more), heard, apart) >= likely - 1e-9
    assert trusted(weights, picked, max(heard, more), apart) >= likely - 1e-9
    assert trusted(weights, picked, heard, max(apart, further)) >= likely - 1e-9


def test_what_all_witnesses_bear_out_runs_and_what_none_does_is_asked() -> None:
    for weights, least in ((HIDES, SAFE), (CHANGES, LIKELY)):
        assert trusted(weights, 0.999, 0.99, 5.0) >= least
        assert trusted(weights, 0.1, 0.01, -2.0) < least
    # What is not there has a neighbour of which a reader may be certain; the words are not.
    assert trusted(HIDES, 0.97, 0.02, 0.0) < SAFE


@given(go=SHARES, come=SHARES, more=SHARES)
def test_an_edit_is_no_less_likely_where_the_reader_was_surer_of_its_words(
    go: float, come: float, more: float
) -> None:
    likely = well_worded(go, come)
    assert well_worded(max(go, more), come) >= likely - 1e-9
    assert well_worded(go, max(come, more)) >= likely - 1e-9
    assert well_worded(1.0, 1.0) >= WORDED > well_worded(0.1, 0.1)
