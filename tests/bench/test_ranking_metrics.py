"""Measures of ranked lists, against values worked out by hand."""

from __future__ import annotations

import math

import pytest

from text2mem_bench.ranking import kendall_tau, ndcg_at, place_of, recall_at, reciprocal_rank


@pytest.mark.parametrize(
    ("returned", "relevant", "k", "share"),
    [
        ("12345", "24", 5, 1.0),
        ("12345", "24", 3, 0.5),
        ("12345", "24", 1, 0.0),
        ("12345", "29", 5, 0.5),
        ("", "1", 5, 0.0),
        ("12", "", 5, 1.0),
        ("1123", "23", 2, 0.5),  # the second 1 takes no place: 2 is at the second
    ],
)
def test_recall_is_the_share_of_the_relevant_among_the_first(
    returned: str, relevant: str, k: int, share: float
) -> None:
    assert recall_at(returned, relevant, k) == share


@pytest.mark.parametrize(
    ("returned", "relevant", "value"),
    [("123", "1", 1.0), ("123", "3", 1 / 3), ("123", "32", 1 / 2), ("123", "9", 0.0), ("", "1", 0)],
)
def test_the_reciprocal_rank_goes_by_the_first_relevant_one(
    returned: str, relevant: str, value: float
) -> None:
    assert reciprocal_rank(returned, relevant) == value


def test_ndcg_of_graded_gains() -> None:
    gains = {"a": 3.0, "b": 2.0, "c": 1.0}
    best = 3 / 1 + 2 / math.log2(3) + 1 / 2
    assert ndcg_at("abc", gains, 3) == 1.0
    assert ndcg_at("cba", gains, 3) == pytest.approx((1 + 2 / math.log2(3) + 3 / 2) / best)
    assert ndcg_at("xa", gains, 3) == pytest.approx(3 / math.log2(3) / best)
    assert ndcg_at("xyz", gains, 3) == 0.0


def test_ndcg_measures_itself_by_the_best_k() -> None:
    gains = {"a": 1.0, "b": 1.0, "c": 1.0}
    assert ndcg_at("ab", gains, 2) == 1.0
    assert ndcg_at("xab", gains, 2) == pytest.approx((1 / math.log2(3)) / (1 + 1 / math.log2(3)))
    assert ndcg_at("aab", gains, 2) == 1.0
    assert ndcg_at("", {}, 5) == 1.0


def test_places_count_from_one() -> None:
    assert [place_of(id_, "7373") for id_ in "739"] == [1, 2, None]


@pytest.mark.parametrize(
    ("one", "other", "tau"),
    [
        ("1234", "1234", 1.0),
        ("1234", "4321", -1.0),
        ("1234", "2134", 4 / 6),  # five pairs alike, one turned round
        ("123", "312", -1 / 3),
        ("12x", "y12", 1.0),
        ("1", "1", None),
        ("12", "34", None),
    ],
)
def test_kendalls_tau_is_over_the_pairs_in_common(one: str, other: str, tau: float | None) -> None:
    assert kendall_tau(one, other) == (None if tau is None else pytest.approx(tau))
