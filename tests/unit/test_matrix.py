"""Exact search in the matrix of vectors."""

from __future__ import annotations

import pytest

from text2mem.adapters.sqlite.matrix import ranked

numpy = pytest.importorskip("numpy")


def test_a_shorter_ranking_is_the_beginning_of_the_whole_one() -> None:
    draw = numpy.random.default_rng(3)
    matrix = draw.normal(size=(3_000, 8)).astype("<f4") + 0.5
    matrix[500:700] = matrix[100]  # as similar as each other: the lower id comes first
    matrix /= numpy.linalg.norm(matrix, axis=1, keepdims=True)
    ids = numpy.sort(draw.choice(100_000, len(matrix), replace=False))
    for threshold in (0.0, 0.6):
        *shorter, whole = ranked(ids, matrix, matrix[100].tolist(), threshold, (10, 400, 10_000))
        assert [len(each) >= count for each, count in zip(shorter, (10, 400), strict=True)]
        assert all(each == whole[: len(each)] for each in shorter)
        assert whole[:201] == sorted(whole[:201]) and len(shorter[0]) == 201
        assert len(whole) == sum(matrix @ matrix[100] >= threshold)


def test_with_fewer_hits_than_asked_for_there_is_one_ranking() -> None:
    matrix = numpy.eye(4, dtype="<f4")
    assert list(ranked(numpy.arange(4), matrix, [0, 1, 0, 0], 0.5, (2,))) == [[1]]
    assert list(ranked(numpy.arange(4), matrix, [0, 1, 0, 0], 0.0, (2, 4))) == [[1, 0, 2, 3]] * 2
