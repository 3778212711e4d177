"""Recurrence rules (RFC 5545, section 3.3.10), read by python-dateutil."""

from __future__ import annotations

from datetime import datetime, tzinfo


class UnreadableRule(ValueError):
    """A rule that RFC 5545 does not allow, or that is too dense to be a reminder."""


def normalise_rule(text: str) -> str:
    """The rule in upper case without blanks and without the ``RRULE:`` prefix."""
    return text.strip().removeprefix("RRULE:").removeprefix("rrule:").replace(" ", "").upper()


def next_occurrence(
    rule: str,
    *,
    after: datetime,
    start: datetime,
    tz: tzinfo,
    until: datetime | None = None,
) -> datetime | None:
    """The first occurrence strictly after ``after``, in UTC; None where the rule has run out.

    The rule counts from ``start`` and is read on the wall clock of ``tz``, so that "every Monday
    at nine" stays at nine across a change of summer time. Raises UnreadableRule.
    """
    from datetime import UTC

    from dateutil.rrule import rrulestr  # 20 ms to import: only documents with reminders pay it

    text = normalise_rule(rule)
    if "FREQ=SECONDLY" in text:
        raise UnreadableRule("a reminder every second is not a reminder")
    try:
        # Naive local time throughout: dateutil then does not mix offsets within one rule.
        parsed = rrulestr(
            _until_local(text, tz), dtstart=start.astimezone(tz).replace(tzinfo=None, microsecond=0)
        )
        found = parsed.after(after.astimezone(tz).replace(tzinfo=None))
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, IndexError) as error:
        raise UnreadableRule(f"not an RFC 5545 rule: {error}") from error
    if found is None:
        return None
    instant = found.replace(tzinfo=tz).astimezone(UTC)
    return None if until is not None and instant > until else instant


def _until_local(rule: str, tz: tzinfo) -> str:
    """``UNTIL`` in UTC rewritten to local time, as naive start instants require."""
    from datetime import UTC

    parts = []
    for part in rule.split(";"):
        if part.startswith("UNTIL=") and part.endswith("Z"):
            instant = datetime.strptime(part, "UNTIL=%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
            part = instant.astimezone(tz).strftime("UNTIL=%Y%m%dT%H%M%S")
        parts.append(part)
    return ";".join(parts)
