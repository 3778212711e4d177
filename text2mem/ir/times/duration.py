"""Durations: calendar months plus fixed seconds, and their ISO 8601 form; with what all readers of
times share: units in seconds, the shift by months, and the error for a text without a time."""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Literal, TypeVar

Kind = Literal["instant", "duration", "range"]
Day = TypeVar("Day", bound=date)

MINUTE, HOUR, DAY, WEEK = 60, 3_600, 86_400, 604_800
_ISO = re.compile(
    r"[-+]?P(?=[\dT])(\d+([.,]\d+)?[YMWD])*(T(\d+([.,]\d+)?[HMS])+)?", re.ASCII | re.IGNORECASE
)


class UnreadableTime(ValueError):
    """A `text` that names no `kind` of time (see ``Kind``) in the years 1 to 9999."""

    def __init__(self, text: str, kind: Kind) -> None:
        super().__init__(f"not a readable {kind}: {text[:100]!r}")
        self.text = text
        self.kind: Kind = kind


def shift_months(day: Day, months: int) -> Day:
    """`day` moved by calendar months; the last day of a month that lacks it. Raises OverflowError
    outside the years 1 to 9999."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    if not 1 <= year <= 9999:
        raise OverflowError("year out of range")
    return day.replace(year=year, month=month + 1, day=min(day.day, monthrange(year, month + 1)[1]))


@dataclass(frozen=True, slots=True)
class Duration:
    """Calendar months and fixed seconds (a day is 86,400 s), never of opposite signs."""

    months: int = 0
    seconds: int = 0

    def __post_init__(self) -> None:
        if self.months * self.seconds < 0:
            raise ValueError("the months and seconds of a duration have opposite signs")

    @property
    def is_positive(self) -> bool:
        """Whether the duration is longer than zero."""
        return self.months > 0 or self.seconds > 0

    def after(self, instant: datetime, sign: int = 1) -> datetime:
        """The UTC instant this long after the aware `instant`, or before it if `sign` is -1. Raises
        UnreadableTime outside the years 1 to 9999."""
        try:
            return self.shift(instant.astimezone(UTC), sign)
        except OverflowError as error:
            raise UnreadableTime(self.isoformat(), "instant") from error

    def before(self, instant: datetime) -> datetime:
        """The UTC instant this long before the aware `instant`; raises like ``after``."""
        return self.after(instant, -1)

    def shift(self, day: Day, sign: int) -> Day:
        """`day` moved by `sign` times this duration, by months first. Raises OverflowError outside
        the years 1 to 9999."""
        return shift_months(day, sign * self.months) + timedelta(seconds=sign * self.seconds)

    def isoformat(self) -> str:
        """The canonical ISO 8601 form, the same for equal durations: "P6M", "PT90M".

        Months are years if they are whole ones. Seconds are days and a rest, in hours if they are
        whole ones, else in minutes and seconds.
        """
        months, (days, rest) = abs(self.months), divmod(abs(self.seconds), DAY)
        minutes, seconds = divmod(rest, MINUTE)
        of_months = (months, "M") if months % 12 else (months // 12, "Y")
        of_rest = [(minutes, "M"), (seconds, "S")] if rest % HOUR else [(rest // HOUR, "H")]
        dated, timed = (
            "".join(f"{number}{unit}" for number, unit in fields if number)
            for fields in ([of_months, (days, "D")], of_rest)
        )
        sign = "-" if self.months < 0 or self.seconds < 0 else ""
        return f"{sign}P{dated}{'T' if timed else ''}{timed}" if dated or timed else "PT0S"

    @classmethod
    def parse(cls, text: str) -> Duration:
        """Read an ISO 8601 duration, which may have weeks and a leading sign. Fractions of a second
        are dropped. Raises UnreadableTime for any other text, and for fractions of a month."""
        if len(text) > 100 or not _ISO.fullmatch(text):
            raise UnreadableTime(text, "duration")
        # Imported here, since every program imports this module, but few have a duration.
        import isodate  # type: ignore[import-untyped,unused-ignore]

        try:
            read = isodate.parse_duration(text.upper().replace(",", "."))
            fixed = read if isinstance(read, timedelta) else read.tdelta
            months = 0 if isinstance(read, timedelta) else read.years * 12 + read.months
            if months != int(months):
                raise UnreadableTime(text, "duration")
            return cls(int(months), int(fixed / timedelta(seconds=1)))
        except (ArithmeticError, ValueError) as error:
            raise UnreadableTime(text, "duration") from error
