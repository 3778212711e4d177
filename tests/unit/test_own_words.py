"""What a person's own word for a thing stands for: what was told where it had stood."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from text2mem.planner.ask import Ask, Example
from text2mem.planner.build import build
from text2mem.planner.draft import Draft, Step
from text2mem.planner.own_words import own_words

BELT = "What did I write about the old lady's belt?"
TOLD = "What did I write about the belt of the Singer treadle?"


@pytest.mark.parametrize(
    ("request_", "once", "told", "plain"),
    [
        ("The old lady's needles", BELT, TOLD, "The Singer treadle needles"),
        ("The OLD LADY's needles", BELT, TOLD, "The Singer treadle needles"),
        ("Since when has the boarder eaten?", "When are the boarder's shots due?",
         "When are Smokey's shots due?", "Since when has Smokey eaten?"),
        ("二房 11 月那件事，改到 27 號", "二房皮帶那條，加個標籤「耗材」",
         "搬運車皮帶那條，加個標籤「耗材」", "搬運車 11 月那件事，改到 27 號"),
    ],
)  # fmt: skip
def test_a_request_is_said_in_the_words_that_were_told(
    request_: str, once: str, told: str, plain: str
) -> None:
    found = own_words(request_, once, told)
    assert found is not None and found.plain(request_) == plain


@pytest.mark.parametrize(
    ("request_", "once", "told"),
    [
        ("Raise the needles", BELT, TOLD),  # nothing of one's own
        ("What did I write about the car?", BELT, TOLD),  # small words alone
        ("The old lady again", BELT, BELT),  # told in the same words
        ("The old lady again", BELT, "What did I write about the belt?"),  # nothing in its place
        ("The old lady again", BELT, ""),
    ],
)
def test_what_nothing_was_told_of_is_no_own_word(request_: str, once: str, told: str) -> None:
    assert own_words(request_, once, told) is None


def test_a_time_in_own_words_is_the_one_that_was_told() -> None:
    once = Example(
        "Nudge me about the fee at tui time.", Draft((Step("Promote", {"about": "fee"}),)),
        "Remind me of the fee at 6:15 in the morning.",
    )  # fmt: skip
    now = datetime(2026, 3, 27, 9, 30, tzinfo=UTC)
    ask = Ask("Call Ana on the 30th, tui time.", now, once=once)
    step = Step("Encode", {"text": "call Ana", "remind": "on the 30th, tui time"})
    (made,) = build(Draft((step,)), ask).instances
    assert made["args"]["remind"] == {"at": "2026-03-30T06:15:00Z"}
