"""Marks: select memories by the tags, times and order of a step, with filters of the store."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from text2mem.ir.ops import READS, AbsoluteRange, ByFilter
from text2mem.ir.ports import Selection
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.stretches import EVER, NEVER, read_stretches
from text2mem.ir.times.temporal import TimeRange, format_instant
from text2mem.planner.ask import Ask
from text2mem.planner.draft import Step
from text2mem.planner.linked import Link
from text2mem.planner.sight import HIDDEN, Sight


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
        return read_stretches(said, clock, roughly=reads) if said else ()

    @property
    def in_order(self) -> bool:
        """Whether the step means the latest or the oldest memories."""
        return self.step.values.get("which") in ("latest", "oldest")

    @cached_property
    def spelt(self) -> tuple[dict[str, Any], bool]:
        """A filter by the step's tags, in the spellings of the store, and whether it is exact. It
        is for a single tag, and for several tags if each has one spelling."""
        spelt = [self._sight.spellings(tag) for tag in self.step.listed("tags")]
        alone = tuple(each[0] for each in spelt if len(each) == 1)
        if len(spelt) > len(alone) == 0:
            return {"has_tags": tuple(spelt[0]), "match": "any"}, len(spelt) == 1
        return {"has_tags": alone} if alone else {}, len(alone) == len(spelt)

    @cached_property
    def selected(self) -> Selection:
        """The memories that the store selects by tags and time: the newest, or the oldest if these
        are meant."""
        values = self.step.values
        tags, exact = self.spelt
        some = self.in_order and exact and not {"about", "except", "from"} & set(values)
        wanted = ByFilter(
            **tags, order="oldest" if values.get("which") == "oldest" else "newest",
            limit=(values.get("count") or 1) if some else None,
        )  # fmt: skip
        return self._sight.select(wanted, self.stretches)

    def counted(self, link: Link) -> Link:
        """The link, with the number of memories that are meant if the store holds more of them than
        it gave, and with a filter that hits exactly these, if the language has one."""
        step, count = self.step, self.step.values.get("count")
        if not self._sight.visible.cut or (step.words("from") and not self.stretches):
            return link
        some = bool(count) or self.in_order
        meant = min(count or 1, self.selected.matched) if some else self.selected.matched
        if not self.selected.cut or len(link.records) >= meant:
            return link
        if step.op in READS and not {"tags", "from", "except", "count"} & set(step.values):
            return replace(link, everything=True)
        if some or step.op == "Update" or step.words("except"):
            return replace(link, matched=meant, filter=None)
        return replace(link, matched=meant, filter=link.filter or self._filter(meant))

    def _filter(self, matched: int) -> dict[str, Any] | None:
        """A filter that hits exactly ``matched`` memories; None if there is none. A filter cannot
        hit memories that were made in a time but are of another one. In a write it also hits
        archived ones."""
        tags, exact = self.spelt
        reads = self.step.op in READS
        includes = ((),) if reads or "archive" in self.step.values else ((), HIDDEN[:1])
        for stretch in (self.stretches or (None,)) if exact else ():
            times: dict[str, datetime] = {}
            if stretch is not None:
                times |= {"start": stretch.start} if stretch.start > EVER else {}
                times |= {"end": stretch.end} if stretch.end < NEVER else {}
            span = AbsoluteRange(**times) if times else None
            asked = (ByFilter(**tags, time_range=span, include=each, limit=1) for each in includes)
            if {self._sight.select(each).matched for each in asked} == {matched}:
                ends = {key: format_instant(at) for key, at in times.items()}
                said = {**tags, "time_range": ends, "limit": matched if reads else None}
                return {key: value for key, value in said.items() if value} or None
        return None

    @property
    def _sight(self) -> Sight:
        assert self.ask.sight is not None
        return self.ask.sight
