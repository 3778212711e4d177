"""Rows of people with words of their own: every use is read with another one of the same word."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np

from tests.store.programs import WordHashes
from training import own, rows, selecting
from training.own import beside
from training.rows import Row


def test_a_word_is_read_with_another_use_of_it_and_never_with_itself() -> None:
    made = own.load()
    uses = [row for row in made if row.register == "own"]
    plain = [row for row in made if row.register == "plain"]
    assert len({row.author for row in made}) == 4 and len(uses) > 1000 and len(plain) > 450
    assert all(row.once is not None and row.once.request != row.utterance for row in uses)
    alone = sum(row.once is None for row in plain)
    assert 0.2 < alone / len(plain) < 0.4


def test_some_requests_are_read_with_the_likest_of_their_author() -> None:
    held = rows.load(authors=["en-work"])[:120]
    hashes = WordHashes("words", 64)
    vectors = np.array(hashes.embed([row.utterance for row in held], kind="query"))
    placed = beside(held, vectors, random.Random(1))
    found = [row for row in placed if row.once is not None]
    assert 0.05 < len(found) / len(held) < 0.3
    assert all(row.once is not None and row.once.request != row.utterance for row in found)
    assert Counter(map(_bare, placed)) == Counter(map(_bare, held))


def test_the_choice_is_that_of_the_shipped_weights() -> None:
    features = np.array([[1.0, 0.9, 0.9, 1.0, 1.0, 1.0, 1.0, 1.0], [1.0, *[0.0] * 7]])
    weights = np.array(selecting.selector_weights.WEIGHTS)
    right = selecting.Choice("a", features, 0)
    none = selecting.Choice("a", features[1:], None)
    shown = selecting.selector_weights.SHOWN
    assert selecting.decided(right, weights, shown) and selecting.decided(none, weights, shown)
    assert not selecting.decided(right, -weights, shown)


def _bare(row: Row) -> tuple[str, str]:
    return row.utterance, row.draft.dump()
