"""What a program schedules, read off its typed ops: when memories end, and when they remind.

The rules are those of docs/language.md, "Expiry and reminders"; nothing here looks at what the
store has made of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo

from text2mem.ir.ops import Encode, Expire, Op, Promote, Remind, Update
from text2mem.ir.result import ExecutionResult
from text2mem.ir.times.rrule import next_occurrence
from text2mem_bench.execution.cases import Expiry, Reminder
from text2mem_bench.running import Memories

_OCCURRENCES = 2
_SOFT = "soft_delete"


def expiries(
    ops: Sequence[Op], results: Sequence[ExecutionResult], before: Memories, now: datetime
) -> dict[str, Expiry]:
    """By id, the end that the last step about it sets."""
    found: dict[str, Expiry] = {}
    for op, result in zip(ops, results, strict=True):
        if isinstance(op, Encode) and op.expire_at is not None:
            found.update({id_: Expiry(id_, op.expire_at, _SOFT) for id_ in result.created})
        elif isinstance(op, Expire):
            at = op.until or (now if op.ttl is None else op.ttl.after(now))
            found.update({id_: Expiry(id_, at, op.on_expire) for id_ in result.affected})
        elif isinstance(op, Update):
            for id_ in result.affected:
                if "ttl" in op.edits:
                    found[id_] = Expiry(id_, op.edits["ttl"].after(now), _SOFT)
                elif "expire_at" in op.edits:
                    _move(found, id_, op.edits["expire_at"], before)
    return found


def reminders(
    ops: Sequence[Op],
    results: Sequence[ExecutionResult],
    ends: dict[str, Expiry],
    now: datetime,
    tz: tzinfo,
) -> dict[str, Reminder]:
    """By id, the next instants at which the reminder that the last step sets is due.

    None of them lies behind the memory's end.
    """
    rules: dict[str, Remind | None] = {}
    for op, result in zip(ops, results, strict=True):
        if isinstance(op, Promote) and op.remind is not None:
            rules.update(dict.fromkeys(result.affected, op.remind))
        elif isinstance(op, Encode) and op.remind is not None:
            rules.update(dict.fromkeys(result.created, op.remind))
        elif isinstance(op, Update) and "remind" in op.edits:
            rules.update(dict.fromkeys(result.affected, op.edits["remind"]))
    found = {}
    for id_, rule in rules.items():
        due = [] if rule is None else occurrences(rule, now, tz)
        if id_ in ends:
            due = [each for each in due if each < ends[id_].at]
        if due:
            found[id_] = Reminder(id_, tuple(due))
    return found


def occurrences(rule: Remind, now: datetime, tz: tzinfo) -> list[datetime]:
    """The next two occurrences of a rule that is set ``now``, in UTC; or the one instant."""
    if rule.rrule is None:
        return [] if rule.at is None else [rule.at]
    due: list[datetime] = []
    for _ in range(_OCCURRENCES):
        after = due[-1] if due else now
        begins = rule.start or now
        found = next_occurrence(rule.rrule, after=after, start=begins, tz=tz, until=rule.until)
        if found is None:
            break
        due.append(found)
    return due


def _move(found: dict[str, Expiry], id_: str, at: datetime | None, before: Memories) -> None:
    """An Update of ``expire_at``: it cancels, or moves what was to happen."""
    if at is None:
        found.pop(id_, None)
        return
    said = found[id_].action if id_ in found else None
    if said is None and id_ in before:
        said = before[id_].expire_action
    found[id_] = Expiry(id_, at, said or _SOFT)
