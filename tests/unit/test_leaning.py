"""Times that lean on another time of the same request, or on one that is held."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.planning import ABLE, SMALL, draft, note, part, planned, step
from text2mem.ir.times.anchored import extended, moved_by
from text2mem.ir.times.leaning import upright
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.turn import Turn

CLOCK = Clock(datetime(2026, 3, 10, 9, tzinfo=UTC), UTC)


@pytest.mark.parametrize(
    ("words", "said", "days", "whole"),
    [
        ("forty", "shout in twenty minutes, no, make it forty", (), "in forty minutes"),
        ("四十", "二十分钟后叫我，不，四十吧", (), "四十分钟后"),
        ("after that day", "sensor on the 17th, after that day bin it", ("the 17th",),
         "after the 17th"),
        ("那天之后", "3月17号换，那天之后删", ("3月17号",), "3月17号之后"),
        ("that day", "Monday or Tuesday, that day", ("Monday", "Tuesday"), "that day"),
        ("forty", "make it forty, it takes two hours", (), "forty"),
        ("ninety", "in an hour, no, make it ninety", (), "ninety"),
        ("四十", "半小时后，不，四十", (), "四十"),
        ("45", "the demo takes twenty minutes, drop it at 45", (), "45"),
        ("five", "it takes two hours, so at five", (), "five"),
        ("next Friday", "in two hours, no, next Friday", ("next Friday",), "next Friday"),
    ],
)  # fmt: skip
def test_a_time_has_of_another_one_what_it_leaves_out(
    words: str, said: str, days: tuple[str, ...], whole: str
) -> None:
    assert upright(words, said, days) == whole


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("one month longer", "v1 lives one month longer, until 30 November"),
        ("再一个月", "那条留着，再一个月"),
        ("one month", "extend the lease note by one month"),
        ("one month later", "extend it by one month later"),
        ("a month on", "move it a month on"),
        ("another month", "give it another month"),
        ("push it back a month", "push it back a month"),
        ("拖一个月", "那条拖一个月"),
        ("往后延一个月", "那条往后延一个月"),
        ("再缓一个月", "那条再缓一个月"),
    ],
)
def test_an_end_is_put_off_by_a_length(words: str, said: str) -> None:
    due = datetime(2026, 10, 31, 9, tzinfo=UTC)
    assert extended(words, said, CLOCK, due) == datetime(2026, 11, 30, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("words", "said"),
    [("one month", "keep it for one month"), ("in a month", "drop it in a month")],
)
def test_a_bare_length_counts_from_now(words: str, said: str) -> None:
    assert extended(words, said, CLOCK, datetime(2026, 10, 31, 9, tzinfo=UTC)) is None


@pytest.mark.parametrize(
    ("words", "length", "later"),
    [
        ("bump it a week", "a week", True),
        ("delay it by two days", "two days", True),
        ("another two weeks", "two weeks", True),
        ("往后拖一个星期", "一个星期", True),
        ("推后俩礼拜", "俩礼拜", True),
        ("顺延三天", "三天", True),
        ("再等两天", "两天", True),
        ("bring it forward a day", "a day", False),
        ("move it up an hour", "an hour", False),
        ("往前挪一天", "一天", False),
    ],
)
def test_words_say_by_how_much_a_time_moves(words: str, length: str, *, later: bool) -> None:
    assert moved_by(words, CLOCK) == (length, later)


@pytest.mark.parametrize(
    "words",
    [
        "move it to friday",
        "推到周五",
        "拖到下周",
        "挪车",
        "错3题",
        "缓一缓",
        "in a week",
        "bring it a week",
        "knock off an hour",
    ],
)
def test_other_words_move_nothing(words: str) -> None:
    assert moved_by(words, CLOCK) is None


FLIGHT = [step("Encode", payload={"text": "flight to Lisbon"}, time="2026-04-12T07:40:00Z"),
          step("Encode", payload={"text": "the spare key is at Nora's"})]  # fmt: skip


@pytest.mark.parametrize(
    ("remind", "about", "at"),
    [
        ("the evening before", "1", "2026-04-11T18:00:00Z"),
        ("提前半小时", "1", "2026-04-12T07:10:00Z"),
        ("10 April at 9am", "1", "2026-04-10T09:00:00Z"),
        ("the evening before", "2", None),
        ("the evening before", None, None),
    ],
)
def test_a_reminder_leans_on_what_the_turn_before_was_about(
    remind: str, about: str | None, at: str | None
) -> None:
    turns = [] if about is None else [Turn("when is it?", ids=(about,))]
    said = f"remind me {remind} to pack"
    packing = draft("Encode", text="pack", remind=remind)
    found = planned(said, packing, store=FLIGHT, profile=SMALL, context=turns)
    if at is None:
        assert found.question.reason == "unreadable-time"
    else:
        [instance] = found.program
        assert instance["args"]["remind"] == {"at": at}


def test_a_reminder_leans_on_what_the_step_before_was_about() -> None:
    said = "12月20日家俊放假，前一晚提我买条鲩鱼"
    steps = [part("Encode", text="12月20日家俊放假", date="12月20日"),
             part("Encode", text="买条鲩鱼", remind="前一晚")]  # fmt: skip
    found = planned(said, {"steps": steps}, store=FLIGHT, profile=SMALL)
    assert found.program[1]["args"]["remind"] == {"at": "2026-12-19T20:00:00Z"}
    said = "the dentist is on 8 May now, remind me the Monday before to ring Nora"
    steps = [part("Update", ids=["1"], old="14 April", new="8 May"),
             part("Encode", text="ring Nora", remind="the Monday before")]  # fmt: skip
    found = planned(said, {"steps": steps}, store=[note("Dentist on 14 April")], profile=ABLE)
    assert found.program[-1]["args"]["remind"] == {"at": "2026-05-04T09:00:00Z"}


def test_an_end_leans_on_the_day_of_what_ends() -> None:
    store = [note("Ramp day on Friday 17 July"), note("Lumber list for the ramp: 2x6, screws")]
    said = "Once the ramp's built let both drop off the Monday after"
    ends = draft("Expire", ids=["1", "2"], when="the Monday after")
    found = planned(said, ends, store=store, profile=ABLE)
    assert found.program[0]["args"]["until"].startswith("2026-07-20")


@pytest.mark.parametrize(
    ("text", "remind", "at"),
    [
        ("dentist tomorrow at 8pm", "at 7:30", "2026-03-05T19:30:00Z"),
        ("明天晚上八点看牙", "七点半", "2026-03-05T19:30:00Z"),
        ("the flute exam is on 20 March", "the Monday before", "2026-03-16T09:00:00Z"),
        ("ring Nora", "at 7:30pm", "2026-03-04T19:30:00Z"),
    ],
)
def test_a_reminder_leans_on_the_time_in_the_text(text: str, remind: str, at: str) -> None:
    found = planned(f"{text}, remind me {remind}", draft("Encode", text=text, remind=remind))
    assert found.program[0]["args"]["remind"] == {"at": at}
