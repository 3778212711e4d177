"""What is stored is spelt as it was said, and no long number is lost."""

from __future__ import annotations

import pytest

from tests.planning import draft, planned
from text2mem.planner.said import as_said, loses_a_number


@pytest.mark.parametrize(
    ("words", "said", "stored"),
    [
        ("the wifi password at Mam's is Sligo1959", "the wifi password at Mam's is Sligo1959!",
         "the wifi password at Mam's is Sligo1959!"),
        ("the code is 4A77", "the code is 4A77#, remember", "the code is 4A77#"),
        ("Sinead's wedding is 14 June", "Jot down that Sinéad's wedding is 14 June",
         "Sinéad's wedding is 14 June"),
        ("the ferry leaves at 11", "the Ferry leaves at 11!", "the ferry leaves at 11"),
        ("locker B12!", "locker B12!", "locker B12!"),
        ("my seat is 12A", "Can you note that my seat is 12A?", "my seat is 12A"),
        ("my code is 12A#", "Can you note that my code is 12A#?", "my code is 12A#"),
    ],
)  # fmt: skip
def test_words_are_spelt_as_they_were_said(words: str, said: str, stored: str) -> None:
    assert as_said(words, said) == stored


@pytest.mark.parametrize(
    ("said", "written", "lost"),
    [
        ("煤气表号是 0387 6621，抄表的小刘电话13688210457", "小刘的煤气表号是 0387 6621", True),
        ("the code is 3054, no, 3055", "the code is 3055", False),
        ("the code is 3054", "the code is 3054", False),
        ("ring Tom on 07700 900143", "ring Tom on 07700900143", False),
        ("dinner at 18:30 for 12", "dinner", False),
        ("the shop is open 10-18", "the shop is open from 10 to 18", False),
        ("the meter is 4471-2298", "the meter is 4471 2298", False),
        ("the meter is 44 71 22", "the meter", True),
    ],
)
def test_a_number_is_lost_where_none_of_its_length_is_written(
    said: str, written: str, lost: bool
) -> None:
    assert loses_a_number(said, written) is lost


def test_a_new_memory_that_would_lose_a_number_takes_the_words_of_the_request() -> None:
    said = "煤气表号是 0387 6621，抄表的小刘电话13688210457"
    made = planned(said, draft("Encode", text="小刘的煤气表号是 0387 6621"))
    assert [each["args"]["payload"] for each in made.program] == [{"text": said}]
