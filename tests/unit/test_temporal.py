"""Times, durations and ranges: the fixture rows, and what holds for every input."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from text2mem.ir.times.duration import Duration, UnreadableTime
from text2mem.ir.times.lengths import token_bound
from text2mem.ir.times.moments import read_end, read_reminder, read_when
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.stretches import read_stretches
from text2mem.ir.times.temporal import (
    TimeRange,
    format_instant,
    format_instants,
    read_duration,
    read_instant,
    read_range,
    relative_range,
)

FIXTURES = Path(__file__).parents[2] / "fixtures" / "temporal"
NOW = datetime(2026, 3, 4, 10, 30, tzinfo=UTC)
SHANGHAI = ZoneInfo("Asia/Shanghai")
VOCABULARY = (
    *("in", "at", "on", "by", "the", "of", "a", "an", "and", "next", "last", "this", "3", "31"),
    *("9999", "9am", "14:30", "noon", "tonight", "day", "week", "month", "year", "friday", "may"),
    *(
        "december",
        "tomorrow",
        "end",
        "ago",
        "from",
        "half",
        "past",
        "eod",
        "2026",
        "2026-02-30",
        "12/31",
        "P1M",
    ),
    *(
        "前",
        "后",
        "内",
        "以来",
        "半",
        "年",
        "月",
        "日",
        "周",
        "五",
        "三",
        "百",
        "十",
        "点",
        "下",
        "上",
    ),
    *("个", "底", "晚上", "最近", "天", "到", "从", "PT", "99999999999"),
)
WORDS = st.lists(st.sampled_from(VOCABULARY), max_size=7)
PHRASES = st.one_of(
    st.text(max_size=110),
    WORDS.map(" ".join),
    WORDS.map("".join),
    st.from_regex("[-+]?P[0-9YMWDTHS.]*"),
)


def rows() -> list[dict[str, Any]]:
    paths = sorted(FIXTURES.glob("*.jsonl"))
    return [json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines()]


def printed(case: dict[str, Any]) -> Any:
    now, tz = datetime.fromisoformat(case["now"]), ZoneInfo(case["tz"])
    try:
        if case["kind"] == "duration":
            return read_duration(case["text"]).isoformat()
        if case["kind"] == "instant":
            return format_instant(read_instant(case["text"], now=now, tz=tz))
        if case["kind"] != "range":
            return lenient(case, Clock(now, tz))
        found = read_range(case["text"], now=now, tz=tz)
        return {"start": format_instant(found.start), "end": format_instant(found.end)}
    except UnreadableTime as error:
        about_this_text = (error.text, error.kind) == (case["text"], case["kind"])
        return {"error": "unreadable" if about_this_text else str(error)}


def lenient(case: dict[str, Any], clock: Clock) -> Any:
    """What the readers of words around times say, which know no errors."""
    text, found = case["text"], None
    if case["kind"] == "moment":
        moment = read_when(text, clock)
        found = None if moment is None else format_instant(moment)
    elif case["kind"] == "stretch":
        stretches = read_stretches(text, clock)
        found = [
            {"start": format_instant(each.start), "end": format_instant(each.end)}
            for each in stretches
        ] or None
    elif case["kind"] == "bound":
        found = token_bound(text)
    else:
        anchor = datetime.fromisoformat(case["anchor"]) if "anchor" in case else None
        reminder = read_reminder(text, clock, anchor)
        if reminder is not None and reminder.at is not None:
            found = {"at": format_instant(reminder.at)}
        elif reminder is not None:
            ends = {"start": reminder.start, "until": reminder.until}
            found = {"rrule": reminder.rrule, **format_instants(ends)}
        if case["kind"] == "recurrence" and found is not None and "rrule" not in found:
            found = None  # a time, but none that comes again
    return {"error": "unreadable"} if found is None else found


@pytest.mark.parametrize("row", rows(), ids=lambda row: str(row["id"]))
def test_a_fixture_row_reads_as_expected(row: dict[str, Any]) -> None:
    assert printed(row["input"]) == row["expected"]


def test_fixture_rows_fit_their_schema_and_have_their_own_ids() -> None:
    validator = Draft202012Validator(json.loads((FIXTURES / "case.schema.json").read_text("utf-8")))
    assert [error.message for row in rows() for error in validator.iter_errors(row)] == []
    assert len({row["id"] for row in rows()}) == len(rows())


@settings(max_examples=400)
@given(PHRASES)
def test_a_text_is_read_or_unreadable_and_nothing_else(text: str) -> None:
    for read in (
        lambda: read_instant(text, now=NOW, tz=SHANGHAI),
        lambda: read_range(text, now=NOW, tz=SHANGHAI),
        lambda: read_duration(text),
        lambda: Duration.parse(text),
        lambda: relative_range("last", 2, text, now=NOW, tz=SHANGHAI),
    ):
        try:
            found = read()
        except UnreadableTime:
            continue
        if isinstance(found, TimeRange):
            assert found.start <= found.end
        if isinstance(found, datetime):
            assert found.tzinfo is UTC
            assert found.microsecond == 0


@pytest.mark.parametrize(
    ("words", "end"),
    [
        ("Friday", "2026-03-06T15:59:59Z"), ("the party on Friday", "2026-03-06T15:59:59Z"),
        ("until the party on 9 March", "2026-03-09T15:59:59Z"), ("到周五", "2026-03-06T15:59:59Z"),
        ("周五的会", "2026-03-06T15:59:59Z"), ("周五前", "2026-03-06T15:59:59Z"),
        ("周五下班前", "2026-03-06T15:59:59Z"),
        ("the start of Friday", "2026-03-05T16:00:00Z"),
        ("the party on Friday at 8pm", "2026-03-06T12:00:00Z"),
        ("周五零点", "2026-03-05T16:00:00Z"),
        ("before Friday", "2026-03-05T16:00:00Z"), ("中秋之前", "2026-09-24T16:00:00Z"),
        ("the next week", "2026-03-11T10:30:00Z"), ("the next Friday", "2026-03-13T15:59:59Z"),
        ("next week", "2026-03-08T16:00:00Z"), ("midnight on Friday", "2026-03-05T16:00:00Z"),
    ],
)  # fmt: skip
def test_a_day_as_an_end_lasts_to_its_last_second(words: str, end: str) -> None:
    found = read_end(words, Clock(NOW, SHANGHAI))
    assert found is not None
    assert format_instant(found) == end


@settings(max_examples=400)
@given(PHRASES)
def test_words_around_a_time_are_read_or_not_and_never_an_error(text: str) -> None:
    clock = Clock(NOW, SHANGHAI)
    moment = read_when(text, clock)
    assert moment is None or moment.tzinfo is not None
    for anchor in (None, NOW + timedelta(days=2)):
        reminder = read_reminder(text, clock, anchor)
        assert reminder is None or (reminder.at is None) != (reminder.rrule is None)
    assert all(each.start <= each.end for each in read_stretches(text, clock))
    bound = token_bound(text)
    assert bound is None or bound > 0


@given(st.integers(0, 20_000), st.integers(0, 10**10), st.sampled_from([1, -1]))
def test_a_duration_survives_its_spelling(months: int, seconds: int, sign: int) -> None:
    duration = Duration(sign * months, sign * seconds)
    assert Duration.parse(duration.isoformat()) == duration


@given(st.datetimes(timezones=st.just(UTC)))
def test_an_instant_survives_its_spelling(instant: datetime) -> None:
    whole = instant.replace(microsecond=0)
    assert read_instant(format_instant(instant), now=NOW, tz=SHANGHAI) == whole


def test_months_are_clamped_to_the_last_day() -> None:
    august = datetime(2026, 8, 31, 12, tzinfo=UTC)
    assert Duration(months=6).after(august) == datetime(2027, 2, 28, 12, tzinfo=UTC)
    assert Duration(months=6).before(august) == datetime(2026, 2, 28, 12, tzinfo=UTC)
    assert Duration(months=18).after(august) == datetime(2028, 2, 29, 12, tzinfo=UTC)


def test_a_duration_has_one_sign() -> None:
    assert Duration(seconds=1).is_positive
    assert not Duration().is_positive
    with pytest.raises(ValueError, match="opposite signs"):
        Duration(1, -1)


@pytest.mark.parametrize("duration", [Duration(months=10**6), Duration(seconds=10**20)])
def test_a_year_past_9999_is_unreadable(duration: Duration) -> None:
    with pytest.raises(UnreadableTime):
        duration.after(NOW)


@pytest.mark.parametrize(
    "text",
    [
        "每十百天",
        "每两两周",
        "每月十十号",
        "每年百月三号",
        "每周一9点共十十次",
        "每隔十百小时",
        "差十十分三点",
    ],
)
def test_characters_of_numerals_that_name_no_number_are_not_read(text: str) -> None:
    clock = Clock(NOW, SHANGHAI)
    assert read_reminder(text, clock) is None
    assert read_when(text, clock) is None


@pytest.mark.parametrize("seconds", [0, 7, 18 * 60 + 20, 3_599, 40_007])
@pytest.mark.parametrize(
    ("zone", "way", "change"),
    [
        ("Europe/London", "forward", "2026-03-29T01:00:00Z"),
        ("Europe/London", "back", "2026-10-25T01:00:00Z"),
        ("America/Santiago", "back", "2026-04-05T03:00:00Z"),
        ("Australia/Lord_Howe", "back", "2026-04-04T15:00:00Z"),
    ],
)
def test_the_clocks_change_to_the_second(zone: str, way: str, change: str, seconds: int) -> None:
    now = NOW + timedelta(seconds=seconds, milliseconds=250)
    found = read_when(f"when the clocks go {way}", Clock(now, ZoneInfo(zone)))
    assert found is not None
    assert found.isoformat() == change.replace("Z", "+00:00")


@pytest.mark.parametrize(
    "text",
    [
        "0000-01-01", "0000/05/07", "2026-00-10", "2026-10-00", "2026-00-00", "2026/10/0",
        "00.10.2026", "2026-00", "5 May 0000", "May 5, 0000", "May 0000", "0000年5月7日",
        "2026年0月10日",
    ],
)  # fmt: skip
def test_a_date_with_a_zero_is_none(text: str) -> None:
    with pytest.raises(UnreadableTime):
        read_instant(text, now=NOW, tz=UTC)
    with pytest.raises(UnreadableTime):
        read_range(text, now=NOW, tz=UTC)


def test_a_relative_range_ends_or_starts_at_now() -> None:
    week = relative_range("last", 7, "days", now=NOW, tz=SHANGHAI)
    assert week == TimeRange(NOW - timedelta(days=7), NOW)
    # 10:30 on 4 March in Shanghai is 18:30; a month later is 18:30 on 4 April.
    month = relative_range("next", 1, "month", now=NOW, tz=SHANGHAI)
    assert month == TimeRange(NOW, datetime(2026, 4, 4, 10, 30, tzinfo=UTC))
    for amount, unit in ((0, "days"), (1, "lustrum"), (10**9, "years")):
        with pytest.raises(UnreadableTime):
            relative_range("last", amount, unit, now=NOW, tz=SHANGHAI)


def test_a_naive_now_is_the_callers_mistake() -> None:
    with pytest.raises(ValueError, match="time zone"):
        read_range("today", now=datetime(2026, 3, 4), tz=SHANGHAI)


def test_importing_and_reading_iso_loads_no_date_library() -> None:
    code = (
        "import sys; from datetime import *; from text2mem.ir.times.temporal import *\n"
        "read_instant('2026-03-04', now=datetime(2026, 3, 4, tzinfo=UTC), tz=UTC)\n"
        "sys.exit(bool({'dateparser', 'dateutil', 'isodate'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
