"""What amounts come to in either language: levels of priority, and shares of one."""

from __future__ import annotations

import re

from text2mem.ir.priority import LEVELS, read_priority

_BY_WEIGHT = {weight: name for name, weight in LEVELS.items()}


def level(said: str) -> str | None:
    """The level that a word or "p0" to "p4" names."""
    weight = read_priority(said)
    return None if weight is None else _BY_WEIGHT[weight]


def share(found: re.Match[str]) -> float | None:
    """The number ``x``, where it is from 0 to 1."""
    value = float(found["x"])
    return value if 0 <= value <= 1 else None


def less(found: re.Match[str]) -> float | None:
    """The number ``x`` below zero, where there is a difference."""
    return -(share(found) or 0) or None
