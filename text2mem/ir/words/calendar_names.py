"""The names of months and weekdays, whatever the locale of the process is."""

from __future__ import annotations

MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
"""From Monday, whose index is 0."""
HAN_WEEKDAYS = "一二三四五六日"
SHORT = 3
"""The length of the short form of an English name, in letters."""


def month(name: str) -> int:
    """The number of a month from its folded English name, maybe short: 3 for "march" and "mar"."""
    return next(n for n, whole in enumerate(MONTHS, 1) if whole.startswith(name[:SHORT]))


def weekday(name: str) -> int:
    """The number of a weekday from its folded name, maybe short: 0 for "monday", "mon" and 周一."""
    if name > "\u2e80":
        return HAN_WEEKDAYS.index(name[-1].replace("天", "日"))
    return next(n for n, whole in enumerate(WEEKDAYS) if whole.startswith(name[:SHORT]))
