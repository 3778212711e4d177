"""Work: one step of a draft while it becomes instances of the language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time
from typing import Any

from text2mem.ir.diagnostic import Diagnostic
from text2mem.ir.ops import Remind
from text2mem.ir.record import Record
from text2mem.ir.surface import STAGES
from text2mem.ir.times.anchored import extended, over, put_off
from text2mem.ir.times.clock_times import MORNING
from text2mem.ir.times.leaning import upright
from text2mem.ir.times.moments import read_end, read_reminder, read_when
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.temporal import format_instant
from text2mem.ir.words.folding import fold
from text2mem.planner.days import moment_in
from text2mem.planner.draft import Step
from text2mem.planner.kinds import CLOCKS, DAYS, spans
from text2mem.planner.linked import Link
from text2mem.planner.messages import message

Instance = dict[str, Any]
_ROWS = 8
_OF_DAYS = ("DAILY", "WEEKLY", "MONTHLY", "YEARLY")


@dataclass(frozen=True, slots=True)
class SoFar:
    """What the steps of one draft have come to before the next.

    ``first`` says where an earlier step's ids are to be had: the number of the instance that stands
    for each step; ``said`` is the request, ``texts`` what memories say, and ``times`` when they are
    and end, by id, once the steps before have run. ``before`` is when that is of which the turn
    before was.
    """

    clock: Clock
    first: Sequence[int] = ()
    said: str = ""
    texts: dict[str, str] = field(default_factory=dict)
    times: dict[tuple[str, str], datetime] = field(default_factory=dict)
    before: datetime | None = None


@dataclass(frozen=True, slots=True)
class Work:
    """One step on its way to instances: what it is linked to, and what comes out.

    ``at`` is its pointer, ``doubted`` says that it is not sure which words are to go. ``problems``
    are what could not be computed and stands in the way, ``notes`` warnings.
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
        """Whoever asks: their now and zone."""
        return self.so_far.clock

    def add(self, args: Mapping[str, Any], op: str = "", **rest: Any) -> None:
        """One more instance, of the step's op and memories where nothing else is said."""
        name = op or self.step.op
        instance: Instance = {"stage": STAGES[name], "op": name}
        if name != "Encode":
            instance["target"] = rest.get("target") or self.target()
        if args:
            instance["args"] = dict(args)
        self.instances.append(instance)

    def target(self) -> dict[str, Any]:
        """What the step is linked to, as the language says it."""
        link = self.link
        if link.step is not None:
            return {"ids": [f"${self.so_far.first[link.step - 1]}"]}
        if link.everything:
            return {"all": True}
        if link.filter is not None:
            plain = (
                list(said) if isinstance(said, tuple) else said for said in link.filter.values()
            )
            return {"filter": dict(zip(link.filter, plain, strict=True))}
        if link.ids:
            return {"ids": list(link.ids)}
        if not link.missing:
            self.problem("nothing-found", "which", "nothing says which memories are meant")
        return {"search": {"intent": {"query": link.missing or "?"}, "limit": _ROWS}}

    def instant(self, key: str, due: datetime | None = None) -> str | None:
        """The instant under a key; what cannot be read is a problem. ``due`` is one that is held
        already and may be put off."""
        words = self.step.words(key)
        if not words:
            return None
        found = None if due is None else extended(words, self.so_far.said, self.clock, due)
        read = read_end if self.step.traits.until_end_of_day else read_when
        found = found or read(words, self.clock)
        found = found or read(self._upright(words), self.clock)
        found = found or self._over(words)
        if found is None:
            self.problem("unreadable-time", key, f"no time can be read of {words!r}")
            return None
        if found <= self.clock.now:
            self.problem("horizon-past", key, f"{words!r} is in the past")
        return format_instant(found)

    def _over(self, words: str) -> datetime | None:
        """When the one memory that is meant is over by its own words, where that is said."""
        if len(self.link.records) != 1:
            return None
        (record,) = self.link.records
        anchor = self.moment(record)
        if anchor is None:
            return None
        return over(fold(words).strip(), self.clock, anchor, self.text(record))

    def text(self, record: Record) -> str:
        """What a memory says once the steps before have run."""
        return self.so_far.texts.get(record.id, record.text)

    def moment(self, record: Record) -> datetime | None:
        """When it is by its own words, where they name one day."""
        written = Clock(record.created_at, self.clock.tz)
        return moment_in(self.text(record), written, self.clock)

    def write(self, record: Record, text: str) -> None:
        """A memory's whole text anew."""
        self.so_far.texts[record.id] = text
        self.add({"set": {"text": text}}, "Update", target={"ids": [record.id]})

    def problem(self, code: str, key: str, told: str) -> None:
        """What stands in the way, under a key of the step."""
        self.problems.append(Diagnostic(code, f"{self.at}/{key}", told))

    def note(self, code: str, key: str, name: str, **words: object) -> None:
        """A warning, under a key of the step, in the words of a message."""
        told = message(name, self.so_far.said, **words)
        self.notes.append(Diagnostic(code, f"{self.at}/{key}", told, severity="warning"))

    def remind(self, anchor: datetime | None, due: datetime | None = None) -> dict[str, Any] | None:
        """The reminder that the step asks for; ``anchor`` is when the memory itself is, ``due`` a
        reminder that is still to come and may be put off."""
        words = self.step.words("remind")
        if not words:
            return None
        later = None if due is None else put_off(words, self.so_far.said, self.clock, due)
        found = Remind(at=later) if later else read_reminder(words, self.clock, anchor or due)
        found = found or read_reminder(self._upright(words), self.clock, anchor or due)
        if found is None and self.step.op == "Encode":
            # "Remind me the evening before to pack", after a turn about a flight.
            found = read_reminder(words, self.clock, self.so_far.before)
        if found is None:
            self.problem("unreadable-time", "remind", f"no time can be read of {words!r}")
            return None
        if found.rrule is not None:
            end = {"until": format_instant(found.until)} if found.until is not None else {}
            return {"rrule": self._at_an_hour(found.rrule, anchor), **end}
        assert found.at is not None
        at = self._by_day(found.at, words, due)
        if at <= self.clock.now:
            self.problem("horizon-past", "remind", f"{words!r} is in the past")
        return {"at": format_instant(at)}

    def _at_an_hour(self, rule: str, anchor: datetime | None) -> str:
        """A rule of days with the time of day at which it rings, as nobody means the minute in
        which it is said: that of the reminder that is held, of the memory, else the morning."""
        parts = dict(part.split("=", 1) for part in rule.split(";"))
        if "BYHOUR" in parts or parts["FREQ"] not in _OF_DAYS:
            return rule
        held = {record.remind_next for record in self.link.records} - {None} or {anchor}
        times = {at.astimezone(self.clock.tz).time() for at in held if at is not None} - {time()}
        hour = times.pop() if len(times) == 1 else MORNING
        return f"{rule};BYHOUR={hour.hour};BYMINUTE={hour.minute}"

    def _by_day(self, at: datetime, words: str, due: datetime | None) -> datetime:
        """When a reminder rings that is of a day alone: nobody means midnight. At the time of day
        of the one that is put off, else in the morning."""
        local = at.astimezone(self.clock.tz)
        if local.time() != time() or any(spans(words, CLOCKS)):
            return at
        hour = MORNING if due is None else due.astimezone(self.clock.tz).time()
        return datetime.combine(local.date(), hour, self.clock.tz)

    def _upright(self, words: str) -> str:
        """Words of a time with what they leave to another one of the request."""
        said = self.so_far.said
        return upright(words, said, {said[first:last] for first, last in spans(said, DAYS)})

    def bring_back(self) -> None:
        """Has what is archived or deleted in sight again."""
        for record in self.link.records:
            back = {name: False for name in ("archived", "deleted") if getattr(record, name)}
            if back:
                self.add({"set": back}, "Update", target={"ids": [record.id]})
