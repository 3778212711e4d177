"""Numbers in words."""

from __future__ import annotations

import pytest

from text2mem.ir.times.numerals import named_numbers, read_number


@pytest.mark.parametrize(
    ("words", "number"),
    [
        ("11,500", 11_500), ("nine thousand dollars", 9_000), ("200 a day", 200), ("-1.5", -1.5),
        ("one hundred and five", 105), ("twenty-five", 25), ("two million", 2_000_000),
        ("三千八", 3_800), ("六个", 6), ("一百二十", 120), ("两万五", 25_000), ("一千零五", 1_005),
        ("九十八", 98), ("200个", 200), ("俩", 2), ("仨人", 3),
        ("a dozen eggs", 12), ("two dozen", 24), ("half a dozen", 6), ("a hundred and twenty", 120),
        ("20万", 200_000), ("1.5万元", 15_000), ("1.1万", 11_000), ("5百万", 5_000_000),
        ("5万亿", 5 * 10**12), ("3千块", 3_000), ("3千克", 3), ("１２．５", 12.5),
        ("3 million", 3_000_000), ("2.5 billion", 2.5e9), ("5 hundred", 500), ("85k", 85_000),
        ("1.5K", 1_500), ("5 km", 5), ("0.0000001", 1e-7),
        ("two and a half", 2.5), ("2 and a half hours", 2.5), ("two and a half million", 2_500_000),
        ("一亿两千万", 120_000_000), ("一万亿", 10**12), ("三億零五", 300_000_005), ("两个半", 2.5),
        ("兩千零一", 2_001), ("廿三", 23), ("卅", 30),
    ],
)  # fmt: skip
def test_the_one_number_of_words_is_read(words: str, number: float) -> None:
    assert read_number(words) == number


@pytest.mark.parametrize(
    "words",
    [
        "",
        "dollars",
        "two or three",
        "1.2.3",
        "1,5",
        "hundred",
        "half a million",
        "a million and a half",
        "dozens",
        "万一",
        "一" * 400,
        "十几个",
        "几十万",
        "1亿2000万",
        "9" * 400,
        "1e5",
    ],
)
def test_several_or_none_are_no_number(words: str) -> None:
    assert read_number(words) is None


@pytest.mark.parametrize(
    ("words", "number"),
    [
        ("he's the twenty-third now, nine o'clock", 23),
        ("he's the twenty-third now, nine o'clock", 9),
        ("number 23 of 1,200", 23),
        ("末尾是五四", 54),
        ("一共二十三", 23),
    ],
)
def test_every_number_that_is_named_is_found(words: str, number: int) -> None:
    assert number in named_numbers(words)
    assert named_numbers("no such thing") == set()
