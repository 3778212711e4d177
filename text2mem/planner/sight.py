"""Sight: the queries of one request to the store. Each is made once and kept for all steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from functools import cached_property
from typing import get_args

from text2mem.editing.days import days_in
from text2mem.ir.ops import ByFilter
from text2mem.ir.ports import Away, Embedder, Hidden, Selection, StoreView
from text2mem.ir.record import Record, told_order
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.temporal import TimeRange
from text2mem.ir.words.likeness import Vector
from text2mem.services.embedding.asking import vectors_of

HIDDEN: tuple[Away, ...] = get_args(Away)
_KNOWN = 256
"""How many memories are looked at for every request."""
NEAREST = 24
"""How many memories are looked at as the nearest to a request."""
_TAGS = 10_000


def _newest_first(found: Selection) -> Selection:
    """A selection with its rows in the order of their time, the newest first."""
    return replace(found, rows=tuple(sorted(found.rows, key=told_order)))


def distinct(records: Iterable[Record]) -> Sequence[Record]:
    return list({record.id: record for record in records}.values())


@dataclass
class Sight:
    """A view of a store, which does not change meanwhile."""

    store: StoreView
    embedder: Embedder | None = None
    _found: dict[object, Sequence[Record]] = field(default_factory=dict)
    _chosen: dict[str, Selection] = field(default_factory=dict)
    _embedded: dict[str, tuple[float, ...] | None] = field(default_factory=dict)
    _vectors: dict[str, Vector | None] = field(default_factory=dict)
    _days: dict[str, Sequence[datetime]] = field(default_factory=dict)

    @cached_property
    def visible(self) -> Selection:
        """The newest visible memories, the newest first; ``cut`` if there are more."""
        return _newest_first(self.store.everything(_KNOWN))

    @cached_property
    def everything(self) -> Selection:
        """The same with archived and deleted memories; empty if there are too many."""
        if self.visible.cut:
            return Selection((), self.visible.matched)
        return _newest_first(self.store.everything(_KNOWN, include=HIDDEN))

    def away(self, state: Away) -> Selection:
        """The newest memories that are archived, or deleted; ``cut`` if there are more."""
        return _newest_first(self.select(ByFilter(), away=state))

    @property
    def whole(self) -> bool:
        """Whether ``everything`` is the whole store."""
        return not self.everything.cut

    def select(
        self, filter: ByFilter, noted: Sequence[TimeRange] | None = None, away: Away | None = None
    ) -> Selection:
        """The memories that a filter hits, as by ``StoreView.select``."""
        key = repr((filter, noted, away))
        if key not in self._chosen:
            self._chosen[key] = self.store.select(filter, noted=noted, away=away)
        return self._chosen[key]

    def search(self, words: str, limit: int, include: Hidden = ()) -> Sequence[Record]:
        """The best hits for words, and for their vector if there is an embedder."""
        key = words, limit, tuple(include)
        if key not in self._found:
            self._found[key] = self.store.search(
                words, vector=self.vector(words), limit=limit, include=include
            )
        return self._found[key]

    def hits(self, words: str, limit: int, include: Hidden = ()) -> Sequence[Record]:
        """The best visible hits and the hidden ones. A hidden hit never displaces a visible one."""
        found = self.search(words, limit, include)
        if any(record.away for record in found):
            return (*self.search(words, limit), *(record for record in found if record.away))
        return found

    def spellings(self, tag: str) -> Sequence[str]:
        """The spellings of a tag in the store; the tag itself if there are none."""
        return self._tags.get(tag.casefold(), [tag])

    @cached_property
    def _tags(self) -> Mapping[str, Sequence[str]]:
        rows = self.visible.rows
        tags = self.store.tags(_TAGS) if self.visible.cut else [t for row in rows for t in row.tags]
        held: dict[str, list[str]] = {}
        for tag in dict.fromkeys(tags):
            held.setdefault(tag.casefold(), []).append(tag)
        return held

    def vector(self, words: str) -> tuple[float, ...] | None:
        """The vector of words; None for no words, or if no embedder answers."""
        if words not in self._embedded:
            made = vectors_of([words], self.embedder) if words else None
            self._embedded[words] = tuple(made[0]) if made else None
        return self._embedded[words]

    def vectors(self, rows: Sequence[Record]) -> Mapping[str, Vector]:
        """The vectors of the rows that have one, by memory id."""
        new = [row.id for row in rows if row.id not in self._vectors]
        held = self.store.vectors(new) if new else {}
        self._vectors |= {id_: held.get(id_) for id_ in new}
        found = ((row.id, self._vectors[row.id]) for row in rows)
        return {id_: vector for id_, vector in found if vector is not None}

    def days(self, row: Record, tz: tzinfo) -> Sequence[datetime]:
        """The days that a memory names, as they were meant when it was made."""
        if row.id not in self._days:
            self._days[row.id] = days_in(row.text, Clock(row.created_at, tz))
        return self._days[row.id]
