"""Drafts for property tests: legal ones, of any words, or of words that a store knows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from text2mem.planner.draft import MOST_STEPS, REQUIRED, SLOTS, Draft, Key, Step, keys_of

TEXT = (
    st.text(
        st.one_of(
            st.characters(exclude_categories=("Cs", "Cc", "Zs", "Zl", "Zp")),
            st.sampled_from(" \n\t\"\\/'"),
        ),
        min_size=1,
        max_size=20,
    )
    .map(str.strip)
    .filter(bool)
)
"""Words that JSON and the grammar take, without blanks around them."""


def values(key: Key, words: st.SearchStrategy[str] = TEXT) -> st.SearchStrategy[Any]:
    """Values of a key."""
    if key.choices:
        return st.sampled_from(key.choices)
    if key.kind == "list":
        return st.lists(words, min_size=1, max_size=4)
    if key.kind == "ids":
        return st.lists(st.integers(1, 10**6).map(str), min_size=1, max_size=4)
    return {"words": words, "flag": st.just(True), "count": st.integers(1, 999)}[key.kind]


@st.composite
def steps(
    draw: st.DrawFn, words: Mapping[str, st.SearchStrategy[str]] | None = None, density: float = 0.5
) -> Step:
    """A step with some of its keys, each with this probability beside those that it needs.

    ``words`` are those of some keys by name; any for the others.
    """
    op = draw(st.sampled_from(sorted(SLOTS)))
    needed = REQUIRED.get(op, (draw(st.sampled_from(("add", "remove"))),) if op == "Label" else ())
    held = {
        key.name: draw(values(key, (words or {}).get(key.name, TEXT)))
        for key in keys_of(op)
        if key.name in needed or draw(st.floats(0, 1)) < density
    }
    return Step(op, held)


DRAFTS = st.one_of(
    st.lists(steps(), max_size=MOST_STEPS).map(lambda found: Draft(tuple(found))),
    TEXT.map(lambda text: Draft(ask=text)),
    st.just(Draft(undo=True)),
)
"""Drafts of any words."""
