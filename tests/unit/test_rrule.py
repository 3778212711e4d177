"""Recurrence rules: what RFC 5545 forbids is refused, and what never occurs is told at once."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from text2mem import ExecutionContext, Memory
from text2mem.clock import SetClock
from text2mem.ir.times import rrule
from text2mem.ir.times.moments import read_reminder
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.rrule import UnreadableRule, next_occurrence

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)


def following(rule: str) -> datetime | None:
    return next_occurrence(rule, after=NOW, start=NOW, tz=UTC)


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ("FREQ=WEEKLY;BYDAY=2MO", "BYDAY=2MO: a day of the week, with no number"),
        ("FREQ=DAILY;BYDAY=TU,-1MO", "BYDAY=-1MO"),
        ("FREQ=HOURLY;BYDAY=1MO", "BYDAY=1MO"),
        ("FREQ=YEARLY;BYWEEKNO=20;BYDAY=1MO", "with no number"),
        ("FREQ=MONTHLY;BYDAY=6MO", "from 1 to 5"),
        ("FREQ=MONTHLY;BYDAY=54MO", "from 1 to 5"),
        ("FREQ=MONTHLY;BYDAY=0MO", "from 1 to 5"),
        ("FREQ=YEARLY;BYDAY=-54SU", "from 1 to 53"),
        ("FREQ=YEARLY;BYMONTH=3;BYDAY=20MO", "from 1 to 5"),
        ("FREQ=MONTHLY;BYDAY=MON", "BYDAY=MON: a day of the week"),
        ("FREQ=WEEKLY;WKST=XX", "XX"),
        ("FREQ=YEARLY;BYWEEKNO=54", "BYWEEKNO=54"),
    ],
)
def test_what_rfc_5545_forbids_is_refused(rule: str, told: str) -> None:
    with pytest.raises(UnreadableRule, match=told):
        following(rule)


@pytest.mark.parametrize(
    ("rule", "day"),
    [
        ("FREQ=MONTHLY;BYDAY=2MO", "2026-12-14"),
        ("FREQ=MONTHLY;BYDAY=-1FR", "2026-12-25"),
        ("FREQ=MONTHLY;BYDAY=+1FR,3TU", "2026-12-04"),
        ("FREQ=YEARLY;BYDAY=20MO", "2027-05-17"),
        ("FREQ=YEARLY;BYDAY=53FR", "2027-12-31"),
        ("FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU", "2027-03-28"),
        ("FREQ=WEEKLY;BYDAY=MO,TH;WKST=SU", "2026-11-30"),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO", "2044-02-29"),
    ],
)
def test_a_numbered_weekday_is_that_of_its_month_or_year(rule: str, day: str) -> None:
    found = following(rule)
    assert found is not None and found.date().isoformat() == day


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=MONTHLY;BYMONTHDAY=31;BYMONTH=4,6",
        "FREQ=YEARLY;BYYEARDAY=366;BYMONTH=1", "FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=-30;INTERVAL=2",
    ],
)  # fmt: skip
def test_a_day_that_never_comes_is_not_looked_for_by_the_slow_way(
    rule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dateutil.rrule.rrulestr", None)
    assert following(rule) is None


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ("FREQ=MONTHLY;BYDAY=MO;BYSETPOS=50", "a month has 5 of them"),
        ("FREQ=MONTHLY;BYDAY=MO,TU;BYHOUR=9,12;BYSETPOS=-21", "a month has 20 of them"),
        ("FREQ=YEARLY;BYDAY=MO;BYSETPOS=366", "a year has 53 of them"),
    ],
)
def test_a_position_past_the_last_is_refused(rule: str, told: str) -> None:
    with pytest.raises(UnreadableRule, match=told):
        following(rule)


def test_a_stored_rule_that_is_read_no_longer_rings_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = SetClock(NOW)
    with Memory(
        tmp_path / "m.db", context=ExecutionContext(clock=clock), embedder="none", reader="none"
    ) as memory:
        step: dict[str, Any] = {"stage": "STO", "op": "Promote", "target": {"ids": ["1"]}}
        with monkeypatch.context() as before:
            before.setattr(rrule, "_check_days", lambda parts: None)
            memory.add("the bins")
            memory.execute({**step, "args": {"remind": {"rrule": "FREQ=DAILY;BYDAY=1MO"}}})
        clock.at = datetime(2026, 12, 20, tzinfo=UTC)
        (fired,) = memory.tick().fired
        assert fired.following is None and memory.tick().fired == ()


@pytest.mark.parametrize("start", ["1921-11-30T09:00:00+00:00", "0001-01-02T09:00:00+00:00"])
def test_a_rule_that_began_long_ago_goes_on(start: str) -> None:
    begun = datetime.fromisoformat(start)
    for rule in ("FREQ=DAILY", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", "FREQ=YEARLY"):
        found = next_occurrence(rule, after=NOW, start=begun, tz=UTC)
        assert found is not None and found > NOW


@pytest.mark.parametrize(
    ("words", "rings"),
    [
        ("every day at 7 and 19:30", ["25 19:30", "26 07:00", "26 19:30", "27 07:00"]),
        (  # a start within the week, and the change of clocks on the 29th
            "every weekday at 8:15 and 17:45",
            ["25 17:45", "26 08:15", "26 17:45", "27 08:15", "27 17:45", "30 08:15"],
        ),
        ("Mon, Wed and Sun at 9, 13:30 and 20:15", ["25 13:30", "25 20:15", "29 09:00"]),
        ("every 2 weeks on Friday at 8 and 17:30", ["27 08:00", "27 17:30", "10 08:00"]),
        ("on the 31st of every month at 9 and 17:15", ["31 09:00", "31 17:15", "31 09:00"]),
        (
            "the last working day of every month at 9 and 17:30",
            ["31 09:00", "31 17:30", "30 09:00"],
        ),
    ],
)
def test_a_rule_rings_at_each_of_several_times_of_its_days(words: str, rings: list[str]) -> None:
    zone = ZoneInfo("Europe/Berlin")
    now = datetime(2026, 3, 25, 10, tzinfo=zone)
    reminder = read_reminder(words, Clock(now, zone))
    assert reminder is not None
    assert reminder.rrule is not None
    at, start, found = now, reminder.start or now, []
    for _ in rings:
        due = next_occurrence(reminder.rrule, after=at, start=start, tz=zone)
        assert due is not None
        at = due
        found.append(f"{due.astimezone(zone):%d %H:%M}")
    assert found == rings
