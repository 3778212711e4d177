"""Fitting: which memories a step means by its words, tags, times and order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from text2mem.editing.edit import exchange
from text2mem.ir.ops import READS, ByFilter
from text2mem.ir.ports import Away, Hidden
from text2mem.ir.record import Record, told_order
from text2mem.ir.times.stretches import naming
from text2mem.ir.times.temporal import TimeRange
from text2mem.ir.words.folding import fold
from text2mem.ir.words.likeness import Vector
from text2mem.planner.ask import Ask
from text2mem.planner.draft import Step
from text2mem.planner.link_weights import FOUND, MANY, READ, RIVAL, SHARE
from text2mem.planner.linked import Link
from text2mem.planner.marks import SPELLINGS, Marks
from text2mem.planner.rank import Fit, rank
from text2mem.planner.sight import HIDDEN, Sight, distinct

_SEARCHED, _MANY_SEARCHED, _NAMING = 40, 256, 128
"""How many hits are looked at: for one memory, for several, and for a day that texts name."""
SHOWN = 3
"""How many memories a question offers besides."""
_SPELT = 12
"""How many memories are searched for words that are spelt differently there; each takes long."""
_ANSWER = 4
"""The most memories that answer a question without a number."""


@dataclass
class Fitting:
    """The search for what one step means, in the store that the request is about."""

    step: Step
    ask: Ask
    edge: frozenset[str] = frozenset()
    """The ids of the last memory of each result of the store that was cut at a limit. If one of
    them fits, more memories beyond the limit may fit, too."""
    marks: Marks = field(init=False)

    def __post_init__(self) -> None:
        self.marks = Marks(self.step, self.ask)

    def pool(self, words: str) -> Sequence[Record]:
        """The candidates for some words, with hidden memories if the step may mean them."""
        deleted = self.undeletes
        archived = deleted or self.step.traits.reveals
        include = HIDDEN if deleted else HIDDEN[:1]
        most = self.searched
        pool = self.known(words, include, most)
        visible = sum(not record.away for record in pool)
        if visible < self.sight.visible.matched:
            seen = [r for r in self.sight.hits(words, most, include) if not r.away]
            self.edge |= {record.id for record in seen[-1:] if len(seen) == most}
        if self.sight.visible.cut and (self.step.listed("tags") or self.marks.stretches):
            marked = self.marks.selected
            pool = distinct((*pool, *marked.rows))
            self.edge |= {record.id for record in marked.rows[-1:] if marked.cut}
        return [
            record
            for record in pool
            if (archived or not record.archived) and (deleted or not record.deleted)
        ]

    def known(self, words: str, include: Hidden, limit: int = _SEARCHED) -> Sequence[Record]:
        """Every memory of a small store, hidden ones included. Of a larger store, the newest
        visible memories and the hits of a search for ``words``."""
        sight = self.sight
        if sight.whole:
            return sight.everything.rows
        return distinct((*sight.visible.rows, *sight.hits(words, limit, include)))

    @property
    def searched(self) -> int:
        """How many hits of a search to look at."""
        return _MANY_SEARCHED if self._several or self.marks.in_order else _SEARCHED

    def marked(self) -> Sequence[Record]:
        """The visible candidates for tags and times, the newest first."""
        sight, stretches = self.sight, self.marks.stretches
        if not sight.visible.cut:
            return sight.visible.rows
        if self.step.words("from") and not stretches:
            pool = self.pool(self.step.words("from"))
            return [record for record in pool if not record.away]
        found = self.marks.selected
        rows = found.rows
        if self.step.op in READS and stretches and not found.cut:
            rows += (*sight.search(naming(stretches, self.ask.tz), _NAMING),
                     *sight.visible.rows[:_NAMING])  # fmt: skip
        return sorted(distinct(rows), key=told_order)

    def put_away(self) -> Sequence[Record]:
        """The archived memories with the tags of the step; where there are none, the deleted ones,
        if it may mean these. Nothing if they are too many to be named."""
        tagged = self.marks.spelt if self.step.listed("tags") else ()
        if len(tagged) > SPELLINGS:
            return ()
        found = [self.sight.select(ByFilter(**each, include=HIDDEN)) for each in tagged]
        hidden = [] if any(each.cut for each in found) else [r for each in found for r in each.rows]
        archived = [record for record in hidden if record.archived and not record.deleted]
        gone = [record for record in hidden if record.deleted and self.undeletes]
        return distinct(archived or gone)

    def away(self, state: Away) -> Link:
        """The link to what is archived or deleted: what fits of it, or all of it."""
        about, newest = self.step.words("about"), self.sight.away(state)
        pool = newest.rows
        if newest.cut:
            hits = self.sight.search(about, self.searched, HIDDEN) if about else ()
            away = [hit for hit in hits if hit.away and hit.deleted == (state == "deleted")]
            self.edge |= {hit.id for hit in away[-1:] if len(hits) == self.searched}
            pool = (*pool, *self.marks.selected.rows, *away)
        found = self.chosen(distinct(pool))
        found = found if about else self.marks.counted(found)
        missing = "" if found.records else found.missing or self.ask.utterance
        return replace(found, named=True, missing=missing)

    # --- which of them -------------------------------------------------------------------

    def chosen(self, pool: Sequence[Record]) -> Link:
        """The memories of ``pool`` that the step means by its words, tags and times."""
        about = self.step.words("about")
        if not about:
            return self.by_marks(pool)
        dated = self._within(pool)
        tagged = self._tagged(dated)
        if self.step.listed("tags") and tagged:
            # Words beside a tag narrow its memories down, or only describe all of them.
            fits = [f for f in self.ranked(about, tagged) if f.probability >= MANY * SHARE]
            whole = self.cut(tagged)
            return self.one_or_many(fits) if fits else self._partly(tagged, whole)
        fits = self.ranked(about, dated)
        if (not fits or fits[0].probability < FOUND) and len(dated) < len(pool):
            fits = self.ranked(f"{about} {self.step.words('from')}", pool)
        return self.one_or_many(fits)

    def one_or_many(self, fits: Sequence[Fit]) -> Link:
        """The link to the best fit or, if the step means several, to all that fit well."""
        best = fits[0].probability if fits else 0.0
        several = self._several
        least = MANY if several else FOUND
        if best < least:
            return self.nearest(fits)
        kept = [f.record for f in fits if f.probability >= max(MANY, SHARE * best)]
        if several or self.marks.in_order:
            left = self.without(kept) if several else kept
            return self._partly(kept, replace(self.cut(left), certainty=best))
        if self.step.op in READS:
            answers = [f.record for f in fits if f.probability >= max(least, READ * best)]
            return Link(tuple(answers[:_ANSWER]), certainty=best)
        alike = [fit.record for fit in fits if fit.probability >= RIVAL * best]
        if self.step.op == "Update" and self.step.words("old"):
            # Of several that fit, the one that holds the old words is meant; if none does, one in
            # which they may be spelt differently.
            old = self.step.words("old")
            saying = [r for r in kept if fold(old) in fold(r.text)] or [
                r
                for r in kept[:_SPELT]
                if exchange(r.text, old, self.step.words("new")) is not None
            ]
            alike = [r for r in saying if r in alike] or saying[:1] or alike
        rivals = tuple(alike[1 : 1 + SHOWN])
        return Link(tuple(alike[:1]), rivals=rivals, certainty=best)

    def nearest(self, fits: Sequence[Fit]) -> Link:
        """The link where nothing is found, with the best-fitting memories as ``near``."""
        near = tuple(fit.record for fit in fits[:SHOWN])
        best = fits[0].probability if fits else 0.0
        return Link(near=near, missing=self.said, certainty=best)

    def _partly(self, fitting: Sequence[Record], link: Link) -> Link:
        """The link, with a mark if the store may hold more memories that fit, beyond a limit; of
        the oldest, it is then not certain that these are meant."""
        enough = self.step.values.get("count") == len(link.records) and not self.marks.in_order
        if enough or self.edge.isdisjoint(record.id for record in fitting):
            return link
        if not self.marks.in_order:
            return replace(link, more=True)
        # Of a large store only the newest were all looked at.
        newest = {record.id for record in self.sight.visible.rows}
        latest = self.step.values["which"] == "latest" and newest.issuperset(link.ids)
        return link if latest else replace(link, certainty=0.0)

    def by_marks(self, pool: Sequence[Record]) -> Link:
        """Link without words: by tags, time, order, and what is left out."""
        tags = self.step.listed("tags")
        if self.step.words("from") and not self.marks.stretches:
            # No time can be read from these words, so they are search words.
            fits = self.ranked(self.step.words("from"), self._tagged(pool))
            return self.one_or_many(fits)
        records = self._tagged(self._within(pool))
        if not records:
            return Link(missing=self.said)
        kept = self.without(records)
        alone = tags and not {"from", "except", "which", "count", "state"} & set(self.step.values)
        which = self.step.values.get("which")
        named = bool(tags or self.step.words("from") or which in ("latest", "oldest", "all"))
        filter = self.marks.filter(len(kept), exact=True) if alone else None
        left_out = len(records) - len(kept)
        return replace(self.cut(kept), filter=filter, named=named, left_out=left_out)

    def cut(self, records: Sequence[Record]) -> Link:
        """Link to as many memories as the step says, by time if it says latest or oldest."""
        which, count = self.step.values.get("which"), self.step.values.get("count")
        if which in ("latest", "oldest"):
            newest_first = which == "latest"
            records = sorted(records, key=lambda r: (r.created_at, int(r.id)), reverse=newest_first)
            count = count or 1
        return Link(tuple(records[:count]))

    def without(self, records: Sequence[Record]) -> list[Record]:
        """The memories without those that ``except`` means."""
        words = self.step.words("except")
        if not words or not records:
            return list(records)
        tagged = {r.id for r in records if words.casefold() in map(str.casefold, r.tags)}
        fits = self.ranked(words, records)
        best = fits[0].probability
        left = {f.record.id for f in fits if f.probability >= max(MANY, SHARE * best)}
        return [record for record in records if record.id not in left | tagged]

    def _tagged(self, records: Sequence[Record]) -> list[Record]:
        wanted = {tag.casefold() for tag in self.step.listed("tags")}
        return [r for r in records if wanted <= {tag.casefold() for tag in r.tags}]

    def _within(self, records: Sequence[Record]) -> list[Record]:
        """The memories from the time that the step names; all of them if no time can be read.

        For a question, these include memories whose text names a day of that time, if it is not
        over yet or no other memory is from it.
        """
        stretches = self.marks.stretches
        if not stretches:
            return list(records)
        made = [r.id for r in records if _in(stretches, (r.when, r.created_at))]
        named: list[str] = []
        if self.step.op in READS and (
            not made or any(each.end > self.ask.now for each in stretches)
        ):
            days = ((r.id, self.sight.days(r, self.ask.tz)) for r in records)
            named = [id_ for id_, each in days if _in(stretches, each)]
        return [record for record in records if record.id in {*made, *named}]

    # --- the parts of it -----------------------------------------------------------------

    @property
    def sight(self) -> Sight:
        return self.marks.sight

    def ranked(self, words: str, pool: Sequence[Record]) -> list[Fit]:
        return rank(words, pool, *self.vectors(words, pool))

    def vectors(
        self, words: str, pool: Sequence[Record]
    ) -> tuple[Vector | None, Mapping[str, Vector]]:
        """The vector of words, and the vectors of memories by id (none without the former)."""
        vector = self.sight.vector(words)
        return vector, {} if vector is None else self.sight.vectors(pool)

    # --- what the step says ------------------------------------------------------------------

    @property
    def _several(self) -> bool:
        """Whether the step may mean more than one memory."""
        count = self.step.values.get("count")
        if isinstance(count, int):
            return count > 1
        return (
            bool(self.step.values.get("many"))
            or self.step.op == "Merge"
            or bool(self.step.words("except"))
        )

    @property
    def undeletes(self) -> bool:
        """Whether the step may mean deleted memories."""
        return self.step.op == "Promote" or "for_good" in self.step.values

    @property
    def restores(self) -> bool:
        """Whether the step brings memories back, and does nothing else."""
        more = {"priority", "by", "remind", "skip"} & set(self.step.values)
        return self.step.op == "Promote" and not more

    @property
    def narrowed(self) -> bool:
        """Whether the step restricts its memories: by words, tags, time, an exception, a state."""
        return bool({"about", "tags", "from", "except", "state"} & set(self.step.values))

    @property
    def said(self) -> str:
        """The words, tags or time by which the step names its memories."""
        return (
            self.step.words("about")
            or ", ".join(self.step.listed("tags"))
            or self.step.words("from")
        )


def _in(stretches: Sequence[TimeRange], times: Sequence[datetime]) -> bool:
    """Whether one of the times lies in one of the stretches."""
    return any(each.start <= at <= each.end for each in stretches for at in times)
