"""Lengths of time: ISO 8601 durations of calendar months plus fixed seconds.

Also what all readers of times share: the sizes of the fixed units in seconds, the shift by calendar
months and the error for a text that names no time. Nothing here reads the wall clock.
"""

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
    """A text that names no instant, duration or range, or one outside the years 1 to 9999.

    `text` is what could not be read, `kind` is what was expected of it.
    """

    def __init__(self, text: str, kind: Kind) -> None:
        super().__init__(f"not a readable {kind}: {text[:100]!r}")
        self.text = text
        self.kind: Kind = kind


def shift_months(day: Day, months: int) -> Day:
    """`day` moved by calendar months, clamped to the last day of the month that it lands in."""
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
        """Longer than zero."""
        return self.months > 0 or self.seconds > 0

    def after(self, instant: datetime) -> datetime:
        """The UTC instant this long after the aware `instant`: months first, then seconds.

        Raises UnreadableTime outside the years 1 to 9999.
        """
        return self._move(instant, 1)

    def before(self, instant: datetime) -> datetime:
        """The UTC instant this long before the aware `instant`: months first, then seconds.

        Raises UnreadableTime outside the years 1 to 9999.
        """
        return self._move(instant, -1)

    def _move(self, instant: datetime, sign: int) -> datetime:
        try:
            moved = shift_months(instant.astimezone(UTC), sign * self.months)
            return moved + timedelta(seconds=sign * self.seconds)
        except OverflowError as error:
            raise UnreadableTime(self.isoformat(), "instant") from error

    def isoformat(self) -> str:
        """The canonical ISO 8601 spelling; equal durations have the same one.

        Whole years as Y, else all months as M; whole days as D; of what is left, whole hours
        as H, else all minutes as M, then seconds: "P6M", "P7D", "PT90M", "P1M3DT2H", "PT0S".
        """
        years, months = divmod(abs(self.months), 12)
        days, rest = divmod(abs(self.seconds), DAY)
        parts = f"{years}Y" if years and not months else f"{abs(self.months)}M"
        text = ("-P" if self.months < 0 or self.seconds < 0 else "P") + parts * bool(self.months)
        text += f"{days}D" * bool(days)
        if rest:
            minutes, seconds = divmod(rest, MINUTE)
            if rest % HOUR == 0:
                text += f"T{rest // HOUR}H"
            else:
                text += "T" + f"{minutes}M" * bool(minutes) + f"{seconds}S" * bool(seconds)
        return text if self.months or self.seconds else "PT0S"

    @classmethod
    def parse(cls, text: str) -> Duration:
        """Read an ISO 8601 duration, weeks and a leading sign included.

        Fractions of a second are dropped. Raises UnreadableTime for anything else, and for
        fractions of a month ("P0.5M").
        """
        if len(text) > 100 or not _ISO.fullmatch(text):
            raise UnreadableTime(text, "duration")
        # Imported here: only some programs hold a duration, and every one imports this module.
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
