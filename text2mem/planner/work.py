"""Work: the state of one step while it becomes instances of the language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, TypeVar

from text2mem.editing.days import moment_in
from text2mem.ir.diagnostic import Diagnostic
from text2mem.ir.ops import Exchange
from text2mem.ir.record import Record
from text2mem.ir.surface import STAGES
from text2mem.ir.times.anchored import after, extended, on_weekday, over
from text2mem.ir.times.moments import lasts, read_end, read_when
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.temporal import format_instant
from text2mem.ir.words.folding import fold
from text2mem.messages import message
from text2mem.planner.draft import Step
from text2mem.planner.linked import Link

Instance = dict[str, Any]
T = TypeVar("T")
_ROWS = 8


def only(values: Iterable[T]) -> T | None:
    """The one value that several are; None if they differ, or if there is none."""
    found = {*values}
    return found.pop() if len(found) == 1 else None


@dataclass(slots=True)
class SoFar:
    """The state that the earlier steps of a draft leave for the next one.

    ``said`` is the request. ``first`` has, for each step, the number of its first instance, which
    stands for its result. ``changed`` are the memories that they change, by id, with their new
    texts and instants. ``exchanged`` has for each the text before its last exchange of words,
    that exchange, and the words that marks in the text stand for.
    ``before`` is the time of what the step before was about, or of the memories
    that the last turn named.
    """

    clock: Clock
    said: str
    first: list[int] = field(default_factory=list)
    changed: dict[str, Record] = field(default_factory=dict)
    exchanged: dict[str, tuple[str, Exchange, tuple[str, ...]]] = field(default_factory=dict)
    before: datetime | None = None

    def now(self, record: Record) -> Record:
        """A memory after the earlier steps."""
        return self.changed.get(record.id, record)

    def change(self, record: Record, **values: Any) -> None:
        """Note the new text or instants of a memory."""
        self.changed[record.id] = replace(self.now(record), **values)

    def moment(self, records: Iterable[Record]) -> datetime | None:
        """The one time that memories are about, set or in their words; None if not just one."""
        return only({self._moment(record) for record in records} - {None})

    def _moment(self, record: Record) -> datetime | None:
        held, written = self.now(record), Clock(record.created_at, self.clock.tz)
        if held.text != record.text and moment_in(record.text, written, self.clock) is None:
            written = self.clock  # an earlier step has written the day
        return held.time or moment_in(held.text, written, self.clock)


@dataclass(frozen=True, slots=True)
class Work:
    """One step, its link, and the instances that are made of it.

    ``at`` is the pointer of the step; ``doubted`` says that its old words are uncertain.
    ``problems`` are values that cannot be computed, ``notes`` are warnings.
    """

    so_far: SoFar
    step: Step
    link: Link
    at: str
    doubted: bool = False
    instances: list[Instance] = field(default_factory=list)
    problems: list[Diagnostic] = field(default_factory=list)
    notes: list[Diagnostic] = field(default_factory=list)

    @property
    def clock(self) -> Clock:
        return self.so_far.clock

    @property
    def records(self) -> list[Record]:
        """The memories that are meant, after the earlier steps."""
        return [self.so_far.now(record) for record in self.link.records]

    def add(self, args: Mapping[str, Any], op: str = "", target: Instance | None = None) -> None:
        """Add an instance, by default of the step's op and memories."""
        name = op or self.step.op
        instance: Instance = {"stage": STAGES[name], "op": name}
        if name != "Encode":
            instance["target"] = target or self.target()
        if args:
            instance["args"] = dict(args)
        self.instances.append(instance)

    def target(self) -> dict[str, Any]:
        """The link as a target of the language."""
        link = self.link
        if link.step is not None:
            return {"ids": [f"${self.so_far.first[link.step - 1]}"]}
        if link.everything:
            return {"all": True}
        if link.filter is not None:
            said = link.filter.items()
            return {"filter": {k: list(v) if isinstance(v, tuple) else v for k, v in said}}
        if link.ids:
            return {"ids": list(link.ids)}
        if not link.missing:
            self.problem("nothing-found", "which", "nothing says which memories are meant")
        return {"search": {"intent": {"query": link.missing or "?"}, "limit": _ROWS}}

    def instant(self, key: str, due: datetime | None = None) -> str | None:
        """The instant under a key; a problem if it cannot be read or is past. ``due`` is an instant
        that is set already and may be put off."""
        words = self.step.words(key)
        if not words:
            return None
        found = None if due is None else extended(words, self.so_far.said, self.clock, due)
        read = read_end if self.step.traits.until_end_of_day else read_when
        if found is None and not lasts(words):  # which end of "2-4pm" is meant?
            found = read(words, self.clock) or self._after(words)
        if found is None:
            self.unreadable(key, words)
            return None
        if found <= self.clock.now:
            self.problem("horizon-past", key, f"{words!r} is in the past")
        return format_instant(found)

    def _after(self, words: str) -> datetime | None:
        """An instant relative to the time of the memories: their end, or "the Monday after"."""
        anchor = self.so_far.moment(self.link.records)
        if anchor is None:
            return None
        said = fold(words).strip()
        about = " ".join(record.text for record in self.records)
        found = over(said, self.clock, anchor, about) or on_weekday(said, self.clock, anchor)
        return found or after(said, self.clock, anchor, about)

    @property
    def moment(self) -> datetime | None:
        """The time of what the step is about: of the memories that are meant, or of the new one, by
        its own words if it is not set ("dentist tomorrow at 8 pm")."""
        if self.step.op != "Encode":
            return self.so_far.moment(self.link.records)
        at = self.instances[0]["args"].get("time") if self.instances else None
        if at is not None:
            return datetime.fromisoformat(at)
        return moment_in(self.step.words("text"), self.clock, self.clock)

    def unreadable(self, key: str, words: str) -> None:
        """Report that no time can be read of the words under a key."""
        told = f"no time can be read of {words!r}"
        self.problem("unreadable-time", key, told, "write it as a day and a time of the day")

    def problem(self, code: str, key: str, told: str, hint: str = "") -> None:
        """Report, once, that a value of the step cannot be computed."""
        found = Diagnostic(code, f"{self.at}/{key}", told, hint)
        if found not in self.problems:
            self.problems.append(found)

    def note(self, code: str, key: str, name: str, **words: object) -> None:
        """Add a warning about a key of the step, with the text of a message."""
        told = message(name, self.so_far.said, **words)
        self.notes.append(Diagnostic(code, f"{self.at}/{key}", told, severity="warning"))

    def bring_back(self) -> None:
        """Bring archived and deleted memories back into sight."""
        for record in self.link.records:
            back = {name: False for name in ("archived", "deleted") if getattr(record, name)}
            if back:
                self.add({"set": back}, "Update", target={"ids": [record.id]})
