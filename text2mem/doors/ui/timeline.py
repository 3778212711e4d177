"""Time lines as SVG: the versions of an attribute, on a scale that all attributes of a page share.

Positions along the line are percentages of its width, so that it fits any window without a script.
Each bar is an SVG element of its own, so that a label which is too long is clipped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import MINYEAR, date, datetime, timedelta, tzinfo

from dateutil.rrule import DAILY, MONTHLY, rrule

from text2mem.doors.ui.layout import short
from text2mem.ir.record import Record
from text2mem.ledger.holdings import state_of
from text2mem.markup import Markup, tag

DRAWN = ("current", "past", "ahead", "pending")
_BAR, _GAP, _AXIS = 26, 4, 22
"""The heights of a bar, of the gap below it and of the axis, in pixels."""
_LEAST = timedelta(days=2)
"""The shortest time between the first and the last instant of a scale."""
_MARGIN = 0.04
"""The margin at each end of a scale, as a share of that time."""
_NARROWEST = 0.6
"""The least width of a bar, in per cent, so that it can be seen."""
_DAYS = (1, 2, 7, 14)
_MONTHS = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 12000)
"""The steps between ticks: the smallest one is used that gives few enough of them."""
_TICKS = 5
"""About how many ticks an axis has at most."""
_EDGE = 4
"""A tick that is nearer to an end of the line, in per cent, is left out: its label has no room."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The scale of a time line. It maps instants to positions along its width, in per cent."""

    start: datetime
    end: datetime
    now: datetime
    tz: tzinfo

    @classmethod
    def of(cls, facts: Iterable[Record], now: datetime, tz: tzinfo) -> Scale:
        """Return the scale that shows all versions and the present."""
        instants = [now]
        for fact in facts:
            instants += [fact.begins, *([fact.valid_to] if fact.valid_to else [])]
        first, last = min(instants), max(instants)
        span = max(last - first, _LEAST)
        return cls(_moved(first, -span * _MARGIN), _moved(last, span * _MARGIN), now, tz)

    def place(self, at: datetime) -> float:
        """Return the position of an instant, in per cent; one outside the scale is at its end."""
        whole = (self.end - self.start).total_seconds()
        part = (at - self.start).total_seconds()
        return round(min(max(100 * part / whole, 0.0), 100.0), 3)

    def ticks(self) -> list[tuple[float, str]]:
        """Return the positions of the ticks, with their labels: days, months or years."""
        days = max((self.end - self.start).days, 1)
        first = _day(self.start, self.tz)
        step = next((each for each in _DAYS if days / each <= _TICKS), None)
        if step is not None:
            rule, form = rrule(DAILY, interval=step, dtstart=first, count=4 * _TICKS), "%Y-%m-%d"
        else:
            months = next((each for each in _MONTHS if days / (30 * each) <= _TICKS), _MONTHS[-1])
            year, month = divmod((first.year * 12 + first.month - 1) // months * months, 12)
            if year < MINYEAR:
                return []
            begin = date(year, month + 1, 1)
            rule = rrule(MONTHLY, interval=months, dtstart=begin, count=4 * _TICKS)
            form = "%Y" if months % 12 == 0 else "%Y-%m"
        ticks = ((self.place(at.replace(tzinfo=self.tz)), at.strftime(form)) for at in rule)
        return [(place, label) for place, label in ticks if _EDGE < place < 100 - _EDGE]


def _moved(at: datetime, by: timedelta) -> datetime:
    """An instant moved by a length of time; the instant itself if that leaves the calendar."""
    try:
        return at + by
    except OverflowError:
        return at


def axis(scale: Scale) -> Markup:
    """Return the axis, with its ticks and the present."""
    marks = []
    for place, label in scale.ticks():
        marks.append(tag("line", x1=f"{place}%", x2=f"{place}%", y1=16, y2=_AXIS, class_="tick"))
        marks.append(tag("text", label, x=f"{place}%", y=12, class_="day"))
    return tag("svg", *marks, _present(scale, _AXIS), width="100%", height=_AXIS, class_="axis",
               aria_hidden="true")  # fmt: skip


def drawn(name: str, facts: Sequence[Record], scale: Scale) -> Markup:
    """Return the versions of one attribute as bars, those that overlap in different lanes."""
    drawn = (fact for fact in facts if state_of(fact, scale.now) in DRAWN)
    shown = sorted(drawn, key=lambda each: each.begins)
    lanes: list[datetime] = []
    bars = []
    for fact in shown:
        start, end = fact.begins, fact.valid_to or scale.end
        lane = next((n for n, free in enumerate(lanes) if free <= start), len(lanes))
        lanes[lane : lane + 1] = [end]
        bars.append(_bar(fact, scale, start, end, lane))
    height = max(len(lanes), 1) * (_BAR + _GAP)
    said = "; ".join(_in_words(fact, scale) for fact in shown) or "no version to draw"
    return tag("svg", *bars, _present(scale, height), width="100%", height=height, role="img",
               class_="line", aria_label=f"{short(name, 60)}: {said}")  # fmt: skip


def _bar(fact: Record, scale: Scale, start: datetime, end: datetime, lane: int) -> Markup:
    """The bar of one version; lanes count from 0, from the top."""
    left, right = scale.place(start), scale.place(end)
    wide = max(right - left, _NARROWEST)
    return tag(
        "svg",
        tag("title", _in_words(fact, scale)),
        tag("rect", x=0, y=0, width="100%", height=_BAR, rx=3, class_="bar"),
        tag("text", short(fact.value, 60), x=7, y=_BAR - 8),
        x=f"{left}%", y=lane * (_BAR + _GAP), width=f"{round(wide, 3)}%", height=_BAR,
        class_=f"version {state_of(fact, scale.now)}",
    )  # fmt: skip


def _in_words(fact: Record, scale: Scale) -> str:
    """A version in words, for its tooltip and for screen readers."""
    start = _day(fact.begins, scale.tz)
    end = f" until {_day(fact.valid_to, scale.tz)}" if fact.valid_to else ""
    return f"{short(fact.value, 60)}, {state_of(fact, scale.now)}, from {start}{end}"


def _day(at: datetime, tz: tzinfo) -> date:
    """The date of an instant in a time zone. If it leaves the calendar there, the date as it is."""
    try:
        return at.astimezone(tz).date()
    except OverflowError:
        return at.date()


def _present(scale: Scale, height: int) -> Markup:
    place = f"{scale.place(scale.now)}%"
    return tag("line", x1=place, x2=place, y1=0, y2=height, class_="now")
