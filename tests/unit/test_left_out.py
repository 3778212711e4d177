"""Which times something that recurs is left out."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from text2mem.ir.times.left_out import read_left_out
from text2mem.ir.times.reading_clock import Clock

CLOCK = Clock(datetime(2026, 3, 10, 9, tzinfo=UTC), UTC)
"""A Tuesday."""


@pytest.mark.parametrize(
    ("words", "count"),
    [("once", 1), ("the next one", 1), ("next time", 1), ("twice", 2), ("the next two", 2),
     ("the next three times", 3), ("下次", 1), ("这一次", 1), ("今次", 1), ("两次", 2),
     ("接下来三次", 3)],
)  # fmt: skip
def test_so_many_of_the_next_times(words: str, count: int) -> None:
    found = read_left_out(words, CLOCK)
    assert found is not None and found.count == count and not found.stretches


@pytest.mark.parametrize(
    ("words", "stretches"),
    [
        ("today", ["03-10 03-10"]),
        ("this wk", ["03-09 03-15"]),
        ("tomorrow and Monday", ["03-11 03-11", "03-16 03-16"]),
        ("tmrw nor monday", ["03-11 03-11", "03-16 03-16"]),
        ("16 and 23 April", ["04-16 04-16", "04-23 04-23"]),
        ("until 1 October", ["03-10 10-01"]),
        ("til oct 1", ["03-10 10-01"]),
        ("until after Easter", ["03-10 04-05"]),
        ("for a month", ["03-10 04-10"]),
        ("July", ["07-01 07-31"]),
        ("這禮拜", ["03-09 03-15"]),
        ("这周六", ["03-14 03-14"]),
        ("4月6号和13号", ["04-06 04-06", "04-13 04-13"]),
        ("到10月11号", ["03-10 10-11"]),
        ("10月11号之前", ["03-10 10-11"]),
        ("一个月", ["03-10 04-10"]),
    ],
)
def test_the_times_in_some_stretches(words: str, stretches: list[str]) -> None:
    found = read_left_out(words, CLOCK)
    assert found is not None and not found.count
    assert [f"{each.start:%m-%d} {each.end:%m-%d}" for each in found.stretches] == stretches


@pytest.mark.parametrize(
    "words", ["while the hall is wet", "whenever", "until further notice", "看情况"]
)
def test_words_that_name_no_time(words: str) -> None:
    assert read_left_out(words, CLOCK) is None
