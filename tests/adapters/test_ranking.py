"""The formulas of a search (docs/language.md, "Target"), as numbers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from text2mem.adapters.ranking import boost, fuse, near, ordered, pool, question

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def test_the_pool_grows_with_the_limit() -> None:
    assert [pool(limit) for limit in (1, 25, 26, 1000)] == [100, 100, 104, 4000]


@pytest.mark.parametrize(
    ("weight", "days", "expected"),
    [
        (0.5, 0, 1.05),
        (0.5, -9, 1.05),
        (0.5, 30, 1.025),
        (0.5, 60, 1.0125),
        (1.0, 0, 1.155),
        (0.0, 30, 0.9225),
        (0.5, 100_000, 1.0),
    ],
)
def test_weight_and_age_count_a_little(weight: float, days: int, expected: float) -> None:
    assert boost(weight, NOW - timedelta(days=days), NOW) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("words", "vectors", "alpha", "expected"),
    [
        ("ab", "ba", 0.5, {"a": 0.5 + 30.5 / 62, "b": 0.5 + 30.5 / 62}),
        ("a", "b", 0.25, {"a": 0.75, "b": 0.25}),
        ("ab", "c", 0.0, {"a": 1.0, "b": 61 / 62}),
        ("ab", "c", 1.0, {"c": 1.0}),
        ("", "", 0.5, {}),
    ],
)
def test_ranks_are_fused(
    words: str, vectors: str, alpha: float, expected: dict[str, float]
) -> None:
    assert fuse(words, vectors, alpha) == pytest.approx(expected)


def test_equals_go_by_id() -> None:
    assert ordered({"10": 1.0, "9": 1.0 + 1e-12, "2": 0.5}) == ["9", "10", "2"]
    assert near({"10": 0.8, "9": 0.8 - 1e-8, "2": 0.9, "3": 0.7999}, 0.8) == ["2", "9", "10"]


def test_the_embedder_reads_query_and_context() -> None:
    assert question("tea", None) == "tea"
    assert question("tea", "what Ann drinks") == "tea\nwhat Ann drinks"
