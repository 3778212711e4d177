"""The names of months and weekdays in English, whatever the locale of the process is."""

from __future__ import annotations

MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
"""From Monday, 0, on."""
SHORT = 3
"""How many letters of a name are a short one."""
