"""Figures said in words and written down wrong."""

from __future__ import annotations

import pytest

from text2mem.ir.times.dictated import mended
from text2mem.planner.said import novel


@pytest.mark.parametrize(
    ("words", "said", "held", "right"),
    [
        ("€3,500", "it will be three thousand fifty", "agreed €2,800", "€3,050"),
        ("772*", "Seventy-seven oh two star.", "code 4410*", "7702*"),
        ("3405", "thirty-four double five, the gate", "gate 1180", "3455"),
        ("4700", "四千零七十", "3000", "4070"),
        ("£70", "he wants seventy for it", "£60", "£70"),
        ("Thursday 16 June 2026", "sixteen, not the fifteen", "Thursday 15 June 2026",
         "Thursday 16 June 2026"),
        ("640", "it is six hundred and four or so, or four hundred and six", "500", "640"),
        ("915", "make it nine", "800", "915"),
        ("12", "the room is on another floor", "11", "12"),
    ],
)  # fmt: skip
def test_a_figure_that_nobody_said_is_the_one_that_was_said(
    words: str, said: str, held: str, right: str
) -> None:
    assert mended(words, said, held) == right


def test_a_number_with_a_comma_is_the_one_that_was_spelt_out() -> None:
    assert novel("€3,050", "it will be three thousand fifty") == []
    assert novel("€3,500", "it will be three thousand fifty") != []
    assert novel("7702*", "seventy-seven oh two star") == []
