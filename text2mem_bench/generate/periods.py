"""Instants and stretches of time drawn relative to a store's clock, as programs write them.

What a language says about them is held against the project's own reader of times, so that phrase
and value cannot part.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from text2mem.ir.times.duration import UnreadableTime
from text2mem.ir.times.temporal import format_instant, read_instant, read_range, relative_range
from text2mem_bench.generate.language import language

RELATIVE = (
    (3, "days"), (5, "days"), (7, "days"), (10, "days"), (2, "weeks"), (3, "weeks"), (1, "months"),
    (2, "months"), (3, "months"), (6, "months"),
)  # fmt: skip
SPANS = ("P2D", "P3D", "P5D", "P1W", "P10D", "P2W", "P3W", "P1M", "P2M", "P3M", "P6M", "P1Y")
_TIMES = language("en")["times"]
RULE_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


def period(now: datetime, rng: random.Random) -> tuple[dict[str, Any], datetime, datetime]:
    """A ``time_range`` and its ends."""
    if rng.random() < 0.6:
        amount, unit = rng.choice(RELATIVE)
        found = relative_range("last", amount, unit, now=now, tz=UTC)
        return {"relative": "last", "amount": amount, "unit": unit}, found.start, found.end
    found = read_range(rng.choice(_TIMES["named"]), now=now, tz=UTC)
    value = {"start": format_instant(found.start), "end": format_instant(found.end)}
    return value, found.start, found.end


def end(now: datetime, rng: random.Random) -> str:
    """The last second of a day to come, as an instant."""
    if rng.random() < 0.6:
        return format_instant(read_instant(f"until {rng.choice(_TIMES['ends'])}", now=now, tz=UTC))
    day = (now + timedelta(days=rng.randrange(9, 170))).replace(hour=23, minute=59, second=59)
    return format_instant(day)


def far_end(now: datetime, rng: random.Random) -> str:
    """The last second of a day that lies more than a year ahead."""
    day = now + timedelta(days=rng.randrange(370, 700))
    return format_instant(day.replace(hour=23, minute=59, second=59))


def recent(value: dict[str, Any], now: datetime) -> bool:
    """Whether a ``time_range`` begins in these weeks."""
    if "relative" in value:
        return value["unit"] in ("days", "weeks")
    return now - datetime.fromisoformat(value["start"]) < timedelta(days=21)


def back(now: datetime, iso: str) -> datetime:
    """The instant that lies a span such as P3W before now."""
    unit = {"D": "days", "W": "weeks", "M": "months", "Y": "years"}[iso[-1]]
    return relative_range("last", int(iso[1:-1]), unit, now=now, tz=UTC).start


def past_day(now: datetime, rng: random.Random) -> str:
    """The first second of one of the days before."""
    back = timedelta(days=rng.randrange(1, 8))
    return format_instant((now - back).replace(hour=0, minute=0, second=0))


def rule(rng: random.Random) -> str:
    """A recurrence rule of a kind that people ask for."""
    at = f"BYHOUR={rng.choice((7, 8, 9, 10, 12, 17, 18, 20))};BYMINUTE={rng.choice((0, 0, 0, 30))}"
    days = rng.sample(RULE_DAYS, rng.choice((1, 1, 1, 2)))
    days.sort(key=RULE_DAYS.index)
    return rng.choice(
        (
            f"FREQ=DAILY;{at}",
            f"FREQ=WEEKLY;BYDAY={','.join(days)};{at}",
            f"FREQ=WEEKLY;BYDAY={','.join(days)};{at}",
            f"FREQ=WEEKLY;INTERVAL=2;BYDAY={days[0]};{at}",
            f"FREQ=MONTHLY;BYMONTHDAY={rng.choice((1, 5, 10, 15, 20, 25))};{at}",
            f"FREQ=YEARLY;BYMONTH={rng.randrange(1, 13)};BYMONTHDAY={rng.randrange(1, 29)};{at}",
        )
    )


def fitting(
    phrases: Iterable[str], means: Callable[[str], bool], rng: random.Random | None = None
) -> str:
    """One of the phrases that mean what they should; empty where none does."""
    found = [phrase for phrase in phrases if _safely(means, phrase)]
    if not found:
        return ""
    return found[0] if rng is None else rng.choice(found)


def _safely(means: Callable[[str], bool], phrase: str) -> bool:
    try:
        return means(phrase)
    except UnreadableTime:
        return False


def names_instant(phrase: str, instant: str, now: datetime) -> bool:
    """Whether a phrase is read as an instant."""
    return format_instant(read_instant(phrase, now=now, tz=UTC)) == instant


def names_range(phrase: str, value: dict[str, Any], now: datetime) -> bool:
    """Whether a phrase is read as the ends of a ``time_range``."""
    found = read_range(phrase, now=now, tz=UTC)
    if "relative" in value:
        meant = relative_range(value["relative"], value["amount"], value["unit"], now=now, tz=UTC)
        return found == meant
    return [format_instant(found.start), format_instant(found.end)] == [
        value["start"],
        value["end"],
    ]
