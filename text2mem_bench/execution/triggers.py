"""Trigger correctness: the clock moved to just before, at and just after what is due.

First reads look at each of these instants, which keeps nothing; then ticks carry out what is due at
each, in order, and the reads look again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from text2mem.adapters.base import Adapter
from text2mem.clock import FixedClock
from text2mem.executor import TickResult, tick
from text2mem.ir.context import ExecutionContext
from text2mem.ir.record import DEMOTED_WEIGHT, Record, locked
from text2mem.ir.times.temporal import format_instant
from text2mem_bench.execution.cases import Expiry, Reminder
from text2mem_bench.running import Memories, Stopped, run, snapshot

Moment = Literal["stored", "before", "at", "after"]
MOMENTS: Mapping[Moment, timedelta] = {
    "before": timedelta(seconds=-1), "at": timedelta(), "after": timedelta(seconds=1),
}  # fmt: skip
HIDDEN, ERASED = "hidden", "erased"
_READ = {
    "stage": "RET", "op": "Retrieve", "target": {"filter": {"weight_gte": 0, "limit": 1000}},
}  # fmt: skip
_FIELDS = ["id", "text", "weight"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What one memory should be, or do, at one moment, and what it was or did."""

    about: Literal["expiry", "reminder"]
    id: str
    moment: Moment
    ticked: bool
    expected: str
    found: str

    @property
    def held(self) -> bool:
        """Whether it was as it should be."""
        return self.expected == self.found

    def as_dict(self) -> dict[str, Any]:
        """The check as JSON."""
        return {
            "about": self.about, "id": self.id, "moment": self.moment, "ticked": self.ticked,
            "expected": self.expected, "found": self.found, "held": self.held,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Seen:
    """The memories at an instant in words by id, and what a tick at it did, if there was one."""

    sight: Mapping[str, str]
    ticked: TickResult | None = None


def check(
    adapter: Adapter,
    expiries: Sequence[Expiry],
    reminders: Sequence[Reminder],
    memories: Memories,
    now: datetime,
) -> list[Check]:
    """Every check of what is scheduled in a store; ticks it to the last of the instants.

    ``memories`` are those of the store at ``now``; what is not there, or deleted, is not checked.
    """
    alive = {id_: record for id_, record in memories.items() if not record.deleted}
    ends = [each for each in expiries if each.id in alive]
    calls = [each for each in reminders if each.id in alive]
    dues = {each.at for each in ends} | {due for each in calls for due in each.due}
    moments = sorted({due + step for due in dues for step in MOMENTS.values()})
    moments = [moment for moment in moments if moment >= now]
    start = _sight(adapter, now)
    read = {moment: _Seen(_sight(adapter, moment)) for moment in moments}
    ticked = {}
    for moment in moments:
        done = tick(adapter, ExecutionContext(clock=FixedClock(moment)))
        ticked[moment] = _Seen(_sight(adapter, moment), done)
    found: list[Check] = []
    for end in ends:
        found += _expiry(end, alive[end.id], start, read, ticked)
    for call in calls:
        found += _reminder(call, alive[call.id], ticked)
    return found


# --- expiries ------------------------------------------------------------------------------


def _expiry(
    end: Expiry, record: Record, start: Mapping[str, str], read: Mapping[datetime, _Seen],
    ticked: Mapping[datetime, _Seen],
) -> list[Check]:  # fmt: skip
    stored = "no end" if record.expire_at is None else (
        f"{record.expire_action} at {format_instant(record.expire_at)}"
    )  # fmt: skip
    found = [
        Check(about="expiry", id=end.id, moment="stored", ticked=False, found=stored,
              expected=f"{end.action} at {format_instant(end.at)}"),
    ]  # fmt: skip
    afterwards = _afterwards(end, record)
    for moment, step in MOMENTS.items():
        for seen in (read, ticked):
            at = seen.get(end.at + step)
            if at is None:  # just before, of what is due within the second
                continue
            expected = start[end.id] if moment == "before" else afterwards
            told = at.sight.get(end.id, ERASED)
            if at.ticked is not None:
                expected += ", carried out" if moment == "at" else ""
                told += ", carried out" if end.id in at.ticked.expired else ""
            found.append(
                Check(about="expiry", id=end.id, moment=moment, ticked=at.ticked is not None,
                      expected=expected, found=told)
            )  # fmt: skip
    return found


def _afterwards(end: Expiry, record: Record) -> str:
    """What is left of a memory that has ended, in words (language.md, "Expiry and reminders")."""
    kept_by_lock = locked(record, end.at) and end.action in ("hard_delete", "anonymize")
    if end.action == "soft_delete" or kept_by_lock:
        return HIDDEN
    if end.action == "hard_delete":
        return ERASED
    if end.action == "demote":
        return _words(True, min(DEMOTED_WEIGHT, record.weight), bool(record.text))
    return _words(record.archived, record.weight, False)


def _sight(adapter: Adapter, now: datetime) -> dict[str, str]:
    """Every memory that is left, in words by id, as reads at an instant find it."""
    there = snapshot(adapter, now)
    active, archived = (_rows(adapter, now, archived=also) for also in (False, True))
    found = {}
    for id_, record in there.items():
        if record.deleted:
            found[id_] = HIDDEN
        elif id_ in archived:
            row = archived[id_]
            found[id_] = _words(id_ not in active, row["weight"], bool(row["text"]))
        else:
            found[id_] = "out of sight"
    return found


def _rows(adapter: Adapter, now: datetime, *, archived: bool) -> dict[str, Mapping[str, Any]]:
    args = {"include": _FIELDS, "include_archived": archived}
    ran = run([{**_READ, "args": args}], adapter, ExecutionContext(clock=FixedClock(now)))
    if isinstance(ran, Stopped):
        raise AssertionError(f"a read of every memory was refused: {ran}")
    return {str(row["id"]): row for row in ran.results[0].rows}


def _words(archived: bool, weight: float, text: bool) -> str:
    where = "archived" if archived else "in sight"
    return f"{where} at weight {round(weight, 6)}{'' if text else ', without text'}"


# --- reminders -----------------------------------------------------------------------------


def _reminder(call: Reminder, record: Record, ticked: Mapping[datetime, _Seen]) -> list[Check]:
    def noted(moment: Moment, expected: str, told: str) -> Check:
        return Check(
            about="reminder", id=call.id, moment=moment, ticked=moment != "stored",
            expected=expected, found=told,
        )  # fmt: skip

    stored = "none" if record.remind_next is None else format_instant(record.remind_next)
    found = [noted("stored", format_instant(call.due[0]), stored)]
    for due in call.due:
        for moment, step in MOMENTS.items():
            seen = ticked.get(due + step)
            if seen is None or seen.ticked is None:
                continue
            fired = [each.due for each in seen.ticked.fired if each.memory["id"] == call.id]
            told = ", ".join(f"fires for {format_instant(each)}" for each in fired) or "silent"
            wanted = f"fires for {format_instant(due)}" if moment == "at" else "silent"
            found.append(noted(moment, wanted, told))
    return found
