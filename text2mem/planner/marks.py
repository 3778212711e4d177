"""Marks: select memories by the tags, times and order of a step, with filters of the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from itertools import islice, product
from typing import Any, Literal

from text2mem.ir.ops import READS, AbsoluteRange, ByFilter
from text2mem.ir.ports import Away, Selection
from text2mem.ir.record import DEFAULT_ROWS, told_order
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.stretches import EVER, NEVER, read_stretches
from text2mem.ir.times.temporal import TimeRange, format_instant
from text2mem.planner.ask import Ask
from text2mem.planner.draft import Step
from text2mem.planner.linked import Link
from text2mem.planner.sight import HIDDEN, Sight

SPELLINGS = 16
"""How many combinations of spellings of tags are looked for."""


@dataclass
class Marks:
    """What one step says of its memories besides words. Each part is read once."""

    step: Step
    ask: Ask

    @cached_property
    def stretches(self) -> tuple[TimeRange, ...]:
        """The times that the memories are from; empty if none can be read."""
        said, reads = self.step.words("from"), self.step.op in READS
        clock = Clock(self.ask.now, self.ask.tz)
        found = read_stretches(said, clock, roughly=reads) if said else ()
        return tuple(_around(each, self.ask.now) for each in found) if reads else found

    @property
    def in_order(self) -> bool:
        """Whether the step means the latest or the oldest memories."""
        return self.step.values.get("which") in ("latest", "oldest")

    @property
    def state(self) -> Away | None:
        """Where the memories are, if the step means what is out of sight."""
        return next((each for each in HIDDEN if each == self.step.words("state")), None)

    @cached_property
    def spelt(self) -> Sequence[dict[str, Any]]:
        """Filters by the step's tags, in the spellings of the store: one for a single tag, and for
        several tags if each has one spelling, else one for each combination of spellings, up to one
        more than are looked for."""
        tags = [self.sight.spellings(tag) for tag in self.step.listed("tags")]
        if len(tags) == 1 and len(tags[0]) > 1:
            return [{"has_tags": tuple(tags[0]), "match": "any"}]
        spelt = islice(product(*tags), SPELLINGS + 1)
        return [{"has_tags": each} if each else {} for each in spelt]

    @cached_property
    def selected(self) -> Selection:
        """The memories that the store selects by tags and time: the newest, or the oldest if these
        are meant. If tags are spelt in several ways, memories that have two spellings count twice
        in ``matched`` unless all memories are here."""
        values = self.step.values
        some = self.in_order and not {"about", "except", "from"} & set(values)
        order: Literal["newest", "oldest"] = (
            "oldest" if values.get("which") == "oldest" else "newest"
        )
        most = (values.get("count") or 1) if some and len(self.spelt) == 1 else None
        found = [
            self.sight.select(ByFilter(**tags, order=order, limit=most), self.stretches, self.state)
            for tags in self.spelt[:SPELLINGS]
        ]
        if len(found) == 1:
            return found[0]
        rows = {record.id: record for each in found for record in each.rows}
        cut = any(each.cut for each in found) or len(self.spelt) > SPELLINGS
        matched = sum(each.matched for each in found) + (len(self.spelt) > SPELLINGS)
        ordered = sorted(rows.values(), key=told_order, reverse=order == "oldest")
        return Selection(tuple(ordered), matched if cut else len(rows))

    def counted(self, link: Link) -> Link:
        """The link, with the number of memories that are meant if the store holds more of them than
        it gave, and with a filter that hits exactly these, if the language has one."""
        step, count = self.step, self.step.values.get("count")
        held = self.sight.away(self.state) if self.state else self.sight.visible
        if not held.cut or (step.words("from") and not self.stretches):
            return link
        some = bool(count) or self.in_order
        meant = min(count or 1, self.selected.matched) if some else self.selected.matched
        if not self.selected.cut or len(link.records) >= meant:
            return link
        if step.op in READS and not {"state", "tags", "from", "except", "count"} & set(step.values):
            return replace(link, everything=True)
        if some or step.op == "Update" or step.words("except") or self.state:
            return replace(link, matched=meant - link.left_out, filter=None)
        return replace(link, matched=meant, filter=link.filter or self.filter(meant))

    def filter(self, matched: int, *, exact: bool = False) -> dict[str, Any] | None:
        """A filter by tags and time that hits exactly ``matched`` memories; None if there is none.

        A filter cannot hit memories that were made in a time but are of another one. In a write it
        also hits archived ones. If these are only archived once more, that changes nothing, and
        they count only with ``exact``.
        """
        tags, *others = self.spelt
        reads, values = self.step.op in READS, self.step.values
        archives = "archive" in values and "until" not in values and not exact
        includes = ((),) if reads or archives else ((), HIDDEN[:1])
        for stretch in () if others else self.stretches or (None,):
            times: dict[str, datetime] = {}
            if stretch is not None:
                times |= {"start": stretch.start} if stretch.start > EVER else {}
                times |= {"end": stretch.end} if stretch.end < NEVER else {}
            span = AbsoluteRange(**times) if times else None
            asked = (ByFilter(**tags, time_range=span, include=each, limit=1) for each in includes)
            if {self.sight.select(each).matched for each in asked} == {matched}:
                ends = {key: format_instant(at) for key, at in times.items()}
                most = matched if reads and matched > DEFAULT_ROWS else None
                said = {**tags, "time_range": ends, "limit": most}
                return {key: value for key, value in said.items() if value} or None
        return None

    @property
    def sight(self) -> Sight:
        assert self.ask.sight is not None
        return self.ask.sight


def _around(stretch: TimeRange, now: datetime) -> TimeRange:
    """A stretch; of an instant, such as "two hours ago", what is about then: within a quarter of
    its distance from now."""
    if stretch.start != stretch.end:
        return stretch
    within = max(min(stretch.start - EVER, NEVER - stretch.end), timedelta())
    near = min(abs(now - stretch.start) / 4, within)
    return TimeRange(stretch.start - near, stretch.end + near)
