"""The names of months in English, and of weekdays in English and Chinese, whatever the locale of
the process is."""

from __future__ import annotations

MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
"""From Monday, 0, on."""
HAN_WEEKDAYS = "一二三四五六日"
SHORT = 3
"""How many letters of a name are a short one."""


def weekday(name: str) -> int:
    """Which one a weekday is, 0 for Monday and 周一; it is folded."""
    if name > "\u2e80":
        return HAN_WEEKDAYS.index(name[-1].replace("天", "日"))
    return next(n for n, whole in enumerate(WEEKDAYS) if whole.startswith(name[:SHORT]))
