"""A reminder by a rule moves with its memory on the clock of every zone."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from text2mem.ir.ops import Exchange
from text2mem.ir.record import Record
from text2mem.ir.times.reading_clock import Clock
from text2mem.planner.rule_moved import rung_by_rule

ZONES = ("UTC", "Asia/Shanghai", "America/Los_Angeles", "Australia/Melbourne")
MOVES = [
    ("choir every Tuesday 7pm", "Tuesday", "Wednesday", "WE", (18, 0)),
    ("合唱每周二晚上7点", "周二", "周三", "WE", (18, 0)),
    ("choir every Tuesday at 7", "7", "8", "TU", (19, 0)),
    ("choir tuesday 7-9pm", "7-9pm", "7:30-9:30pm", "TU", (18, 30)),
    ("choir Tues 7, church hall", "Tues 7", "mondays at 6", "MO", (17, 0)),
    ("choir Tuesdays at 7pm", "7pm", "half past six in the evening", "TU", (17, 30)),
]


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize(("text", "old", "new", "day", "hour"), MOVES)
def test_a_rule_keeps_its_hour_ahead(
    zone: str, text: str, old: str, new: str, day: str, hour: tuple[int, int]
) -> None:
    tz = ZoneInfo(zone)
    now = datetime(2026, 3, 9, 9, tzinfo=tz)
    held = Record(
        id="1", text=text, payload={}, created_at=now, updated_at=now,
        remind_rrule="FREQ=WEEKLY;BYDAY=TU;BYHOUR=18;BYMINUTE=0", remind_tz=zone,
        remind_start=now, remind_next=datetime(2026, 3, 10, 18, tzinfo=tz),
    )  # fmt: skip
    found = rung_by_rule(held, text, Exchange(old, new), "from now on", Clock(now, tz))
    assert found is not None
    rule, rings = found
    assert rule["rrule"] == f"FREQ=WEEKLY;BYDAY={day};BYHOUR={hour[0]};BYMINUTE={hour[1]}"
    local = rings.astimezone(tz)
    assert (local.hour, local.minute) == hour
