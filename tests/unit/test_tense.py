"""Which day a bare one is: the one past, where the rest of the note tells of what has been."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from tests.planning import draft, planned
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.tense import features, gone, past

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)  # a Sunday
CLOCK = Clock(NOW, ZoneInfo("Europe/Dublin"))


@pytest.mark.parametrize(
    ("note", "words", "day"),
    [
        ("the boiler was serviced on Friday", "on Friday", "2026-11-27T00:00"),
        ("paid the plumber 80 on Monday at 5", "Monday at 5", "2026-11-23T17:00"),
        ("the cat was sick on Thursday and slept all day", "Thursday", "2026-11-26T00:00"),
        ("on the 3rd we planted forty tulips and it rained", "the 3rd", "2026-11-03T00:00"),
        ("took the swarm from the church on 20 November", "20 November", "2026-11-20T00:00"),
        ("last treated 20 November", "20 November", "2026-11-20T00:00"),
        ("11月20号开的糖", "11月20号", "2026-11-20T00:00"),
    ],
)
def test_what_has_been_was_on_the_day_past(note: str, words: str, day: str) -> None:
    found = gone(note, words, CLOCK)
    assert found is not None
    assert found.astimezone(CLOCK.tz).strftime("%Y-%m-%dT%H:%M") == day


@pytest.mark.parametrize(
    ("note", "words"),
    [
        ("boiler man Friday", "Friday"),
        ("car insurance renewal 20 November", "20 November"),
        ("Mum's birthday 20 November", "20 November"),
        ("签证11月20号到期", "11月20号"),
        ("took the swarm from the church on 24 August", "24 August"),  # not lately
        ("dentist on Tuesday at ten", "Tuesday at ten"),
        ("Lena starts at the new school on Monday", "Monday"),
        ("booked the table for Saturday", "Saturday"),
        ("12号交房租", "12号"),
        ("long run 22k on Sunday, 24 the one after", "Sunday"),
        ("hill repeats 8x200 on Saturday, 10 the time after", "Saturday"),
        ("周四去取干洗的衣服", "周四"),
        ("the boiler was serviced yesterday", "yesterday"),
        ("the boiler was serviced on 3 March 2026", "3 March 2026"),
    ],
)
def test_all_else_is_read_as_it_was(note: str, words: str) -> None:
    assert gone(note, words, CLOCK) is None


def test_a_note_is_weighed_without_its_day_and_its_figures() -> None:
    one = features("paid Jo 80 on Monday", "on Monday")
    assert one == features("paid Jo 95 on Friday", "Friday")
    assert one != features("paid Jo 95 by Friday", "by Friday")
    assert features("周五付了80块", "周五") == features("周一付了95块", "周一")


def test_a_likelihood_is_one_of_any_note() -> None:
    for note in ("", "Friday", "周五", "\u2316", "🙂 Friday"):
        assert 0 <= past(note, "Friday") <= 1


def test_a_new_memory_of_what_has_been_has_the_day_past() -> None:
    said = "Remember that the boiler was serviced on Friday"  # the tests' now is a Wednesday
    made = planned(
        said, draft("Encode", text="the boiler was serviced on Friday", date="on Friday")
    )
    assert [each["args"]["time"] for each in made.program] == ["2026-02-27T00:00:00Z"]


def test_what_is_reminded_of_is_to_come() -> None:
    said = "The car was towed, it is back on Friday, remind me the day before"
    slots = {"text": "the car was towed on Friday", "date": "Friday", "remind": "the day before"}
    [made] = planned(said, draft("Encode", **slots)).program
    assert made["args"]["time"] == "2026-03-06T00:00:00Z"
