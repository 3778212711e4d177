"""The fields of a reminder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from text2mem.adapters.base import Env
from text2mem.ir.ops import Remind
from text2mem.ir.record import NO_REMINDER
from text2mem.ir.times.rrule import next_occurrence, zone_key


def reminder(remind: Remind | None, env: Env) -> Mapping[str, Any]:
    """The fields of a reminder; None cancels it."""
    if remind is None:
        return NO_REMINDER
    if remind.rrule is None:
        return {**NO_REMINDER, "remind_next": remind.at, "remind_start": env.now}
    following = next_occurrence(
        remind.rrule, after=env.now, start=env.now, tz=env.context.tz, until=remind.until
    )
    return {
        "remind_rrule": remind.rrule, "remind_until": remind.until, "remind_next": following,
        "remind_start": env.now, "remind_tz": zone_key(env.context.tz),
    }  # fmt: skip
