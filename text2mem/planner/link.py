"""Link: find the memories that a step means. The result is some memories, none, or rivals."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from text2mem.editing.edit import exchange
from text2mem.ir.ops import READS
from text2mem.ir.ports import Hidden
from text2mem.ir.record import Record, told_order
from text2mem.ir.times.stretches import naming
from text2mem.ir.times.temporal import TimeRange
from text2mem.ir.turn import spoken_of
from text2mem.ir.words.folding import fold
from text2mem.ir.words.likeness import Vector
from text2mem.planner.ask import Ask
from text2mem.planner.draft import Step
from text2mem.planner.link_weights import FOUND, MANY, READ, RIVAL, SHARE, SURE
from text2mem.planner.linked import Link
from text2mem.planner.marks import Marks
from text2mem.planner.picked import Picked
from text2mem.planner.picture import View
from text2mem.planner.rank import Fit, rank
from text2mem.planner.sight import HIDDEN, NEAREST, Sight, distinct

_SEARCHED, _MANY_SEARCHED, _NAMING = 40, 256, 128
"""How many hits are looked at: for one memory, for several, and for a day that texts name."""
_SHOWN = 3
_SPELT = 12
"""How many memories are searched for words that are spelt differently there; each takes long."""
_ANSWER = 4
"""The most memories that answer a question without a number."""


@dataclass
class Linker:
    """Link the steps of one draft, in order. A step may refer to earlier ones.

    ``view`` is what the reader was shown, if it picks memories by id. ``picks`` are its certainties
    of these ids, one a step. ``said`` is the request without a text that it brings along.
    """

    ask: Ask
    view: View | None = None
    picks: Sequence[float] = ()
    said: str = ""
    done: list[tuple[Step, Link]] = field(default_factory=list)
    """The steps linked so far."""
    edge: frozenset[str] = frozenset()
    """The ids of the last memory of each result of the store that was cut at a limit. If one of
    them fits, more memories beyond the limit may fit, too."""
    marks: Marks = field(init=False)

    def link(
        self, step: Step, fellows: Collection[str] = (), chosen: Sequence[Record] | None = None
    ) -> Link:
        """Link the next step. ``fellows`` are the ids in all steps of the same op, ``chosen`` the
        memories that a person chose for it."""
        about = step.words("about")
        if self.ask.own is not None and about and not step.listed("ids"):
            step = replace(step, values={**step.values, "about": self.ask.own.plain(about)})
        self.edge, self.marks = frozenset(), Marks(step, self.ask)
        if chosen is not None:
            found = Link(tuple(chosen))
        else:
            found = Link() if step.op == "Encode" else self._found(step, fellows)
        if step.op == "Merge" and found.records:
            found = self._merged(step, found)
        self.done.append((step, found))
        return found

    def _merged(self, step: Step, found: Link) -> Link:
        """Add the memory that a Merge keeps (``into``): one of those merged, or another one."""
        words = step.words("into")
        if not words:
            return found
        among = self._ranked(words, found.records)
        if among and among[0].probability >= FOUND:
            return replace(found, primary=among[0].record)
        fits = self._ranked(words, self._pool_for(words, step))
        if not fits or fits[0].probability < FOUND:
            return found
        kept = fits[0].record
        return replace(found, records=(kept, *found.records), primary=kept)

    # --- where the memories come from ----------------------------------------------------

    def _found(self, step: Step, fellows: Collection[str]) -> Link:
        """Find what a step means: by ids, earlier steps or turns, everything, marks, or words."""
        if step.listed("ids"):
            return self._by_ids(step, fellows)
        which = step.values.get("which")
        if which == "step" and self.done:
            return self._of_step(step)
        if self.ask.store is None:
            if which == "earlier" and self.ask.named_last:
                return Link(given=self.ask.named_last)
            return Link(everything=which == "all", missing=self._said(step), named=which != "all")
        if which == "earlier":
            earlier = self._earlier(step)
            if earlier is not None:
                return earlier
        if which == "all" and not self._narrowed(step):
            return Link(self._sight.visible.rows, everything=True, named=False)
        about = step.words("about")
        if not about:
            return self.marks.counted(self._by_marks(step, self._marked(step)))
        if self.view is not None and self.view.whole:
            return self._unseen(step)
        found = self._chosen(step, self._pool_for(about, step))
        if step.traits.reveals:
            return found
        # An archived memory may be meant, too, if it fits better than every visible one.
        known = self._known(about, HIDDEN[:1], self._searched(step))
        archived = [record for record in known if record.archived and not record.deleted]
        archived_link = self._chosen(step, archived)
        better = not found.records or archived_link.certainty > found.certainty
        return archived_link if archived_link.records and better else found

    def _by_ids(self, step: Step, fellows: Collection[str]) -> Link:
        """Link to ids. Picks of a tuned reader for a write are compared with the request."""
        ids = tuple(dict.fromkeys(step.listed("ids")))
        if self.ask.store is None:
            return Link(given=ids)
        for before, (earlier, link) in enumerate(self.done, 1):
            joined = {record.id for record in link.records}
            if earlier.op == "Merge" and joined and set(ids) <= joined:
                return replace(link, records=(), step=before, rivals=())
        held = self.ask.store.find((*ids, *fellows))
        picked = [held[id_] for id_ in ids if id_ in held]
        known = distinct((*picked, *self._looked_at)) if step.words("except") else picked
        left = self._without(step, known)
        records = tuple(record for record in picked if record in left)
        if picked and not records:  # only what is to stay was picked
            words = {key: value for key, value in step.values.items() if key != "ids"}
            return self._found(replace(step, values=words), fellows)
        unknown = [id_ for id_ in ids if id_ not in held]
        number = len(self.done)
        sure = self.picks[number] if number < len(self.picks) else 1.0
        about = step.words("about")
        if about and records and self.view is not None and len(self.view.records) == 1:
            # It could pick no other one, so that it picked this one tells nothing.
            sure = min(sure, self._ranked(about, records)[0].probability)
        found = Link(records, missing=", ".join(unknown), certainty=sure, picked=True)
        if self.view is None or step.op in READS:
            return found
        usual = [self.ask.own.plain(words) for words in (self.said, about)] if self.ask.own else []
        known = self._without(step, self._looked_at)
        doubts = Picked(
            step, records, self.said, known, *self._vectors(self.said, [*known, *held.values()]),
            self._sight.vector(about), [(words, self._sight.vector(words)) for words in usual],
            [record for record in held.values() if record not in records],
        )  # fmt: skip
        return replace(
            found, borne_out=doubts.borne_out, margin=doubts.margin, blind=doubts.vector is None,
            rivals=doubts.rivals(spoken_of(self.ask.context))[:_SHOWN],
        )  # fmt: skip

    @property
    def _looked_at(self) -> Sequence[Record]:
        """The memories that picked ones are compared with."""
        return self._known(self.said, HIDDEN[:1], NEAREST)

    def _unseen(self, step: Step) -> Link:
        """Link words where the reader saw every memory that is not deleted, and picked none.

        The words then mean a deleted memory or nothing, unless they fit a shown memory so well
        (``SURE``) that the reader must have missed it.
        """
        revealing = step.op == "Promote" or "for_good" in step.values
        about = step.words("about")
        known = self._known(about, HIDDEN[1:]) if revealing else ()
        gone = [record for record in known if record.deleted]
        assert self.view is not None
        held = self.view.records
        for pool, least in ((held, SURE), (gone, FOUND)):
            found = self._chosen(step, pool) if pool else Link()
            if found.records and found.certainty >= least:
                return found
        return self._nearest(step, self._ranked(about, self._without(step, held)))

    def _nearest(self, step: Step, fits: Sequence[Fit]) -> Link:
        """The link where nothing is found, with the best-fitting memories as ``near``."""
        near = tuple(fit.record for fit in fits[:_SHOWN])
        best = fits[0].probability if fits else 0.0
        return Link(near=near, missing=self._said(step), certainty=best)

    def _of_step(self, step: Step) -> Link:
        """Link to the result of the step before, or to those of its memories that fit."""
        number = len(self.done)
        before, link = self.done[-1]
        if before.traits.makes or not link.records:
            return replace(link, records=(), step=number, everything=False, rivals=())
        if not self._narrowed(step):
            # The step before may have changed what its filter hits.
            return replace(link, everything=False, filter=None)
        found = self._chosen(step, link.records)
        return replace(found, matched=link.matched, more=link.more) if found.records else found

    def _earlier(self, step: Step) -> Link | None:
        """Link to the memories of the latest turn that has any, by its ids or else by its words.

        None if there are turns, or words, but no turn leads to a memory.
        """
        for turn in reversed(self.ask.context):
            if turn.ids:
                held = self._sight.store.find(turn.ids)
                records = tuple(held[id_] for id_ in turn.ids if id_ in held)
                if not records:
                    continue
                narrowed = bool(step.words("about")) and len(records) > 1
                return self._chosen(step, records) if narrowed else self._cut(step, records)
            words = " ".join(filter(None, (turn.text, step.words("about"))))
            fits = self._ranked(words, self._pool_for(words, step))
            if fits and fits[0].probability >= FOUND:
                return self._one_or_many(step, fits)
        if not self.ask.context and not step.words("about"):
            return Link(named=False)
        return None

    def _pool_for(self, words: str, step: Step) -> Sequence[Record]:
        """The candidates for some words, with hidden memories if the step may mean them."""
        deleted = step.op == "Promote" or "for_good" in step.values
        archived = deleted or step.traits.reveals
        include = HIDDEN if deleted else HIDDEN[:1]
        most = self._searched(step)
        pool = self._known(words, include, most)
        visible = sum(not record.away for record in pool)
        if visible < self._sight.visible.matched:
            seen = [r for r in self._sight.hits(words, most, include) if not r.away]
            self.edge |= {record.id for record in seen[-1:] if len(seen) == most}
        if self._sight.visible.cut and (step.listed("tags") or self.marks.stretches):
            marked = self.marks.selected
            pool = distinct((*pool, *marked.rows))
            self.edge |= {record.id for record in marked.rows[-1:] if marked.cut}
        return [
            record
            for record in pool
            if (archived or not record.archived) and (deleted or not record.deleted)
        ]

    def _known(self, words: str, include: Hidden, limit: int = _SEARCHED) -> Sequence[Record]:
        """Every memory of a small store, hidden ones included. Of a larger store, the newest
        visible memories and the hits of a search for ``words``."""
        sight = self._sight
        if sight.whole:
            return sight.everything.rows
        return distinct((*sight.visible.rows, *sight.hits(words, limit, include)))

    def _searched(self, step: Step) -> int:
        """How many hits of a search to look at for a step."""
        return _MANY_SEARCHED if self._several(step) or self.marks.in_order else _SEARCHED

    def _marked(self, step: Step) -> Sequence[Record]:
        """The visible candidates for tags and times, the newest first."""
        sight, stretches = self._sight, self.marks.stretches
        if not sight.visible.cut:
            return sight.visible.rows
        if step.words("from") and not stretches:
            pool = self._pool_for(step.words("from"), step)
            return [record for record in pool if not record.away]
        found = self.marks.selected
        rows = found.rows
        if step.op in READS and stretches and not found.cut:
            rows += (*sight.search(naming(stretches, self.ask.tz), _NAMING),
                     *sight.visible.rows[:_NAMING])  # fmt: skip
        return sorted(distinct(rows), key=told_order)

    # --- which of them -------------------------------------------------------------------

    def _chosen(self, step: Step, pool: Sequence[Record]) -> Link:
        """The memories of ``pool`` that a step means by its words, tags and times."""
        about = step.words("about")
        if not about:
            return self._by_marks(step, pool)
        dated = self._within(step, pool)
        tagged = self._tagged(step, dated)
        if step.listed("tags") and tagged:
            # Words beside a tag narrow its memories down, or only describe all of them.
            fits = [f for f in self._ranked(about, tagged) if f.probability >= MANY * SHARE]
            whole = self._cut(step, tagged)
            return self._one_or_many(step, fits) if fits else self._partly(step, tagged, whole)
        fits = self._ranked(about, dated)
        if (not fits or fits[0].probability < FOUND) and len(dated) < len(pool):
            fits = self._ranked(f"{about} {step.words('from')}", pool)
        return self._one_or_many(step, fits)

    def _one_or_many(self, step: Step, fits: Sequence[Fit]) -> Link:
        """The link to the best fit or, if the step means several, to all that fit well."""
        best = fits[0].probability if fits else 0.0
        several = self._several(step)
        least = MANY if several else FOUND
        if best < least:
            return self._nearest(step, fits)
        kept = [f.record for f in fits if f.probability >= max(MANY, SHARE * best)]
        if several or self.marks.in_order:
            left = self._without(step, kept) if several else kept
            return self._partly(step, kept, replace(self._cut(step, left), certainty=best))
        if step.op in READS:
            answers = [f.record for f in fits if f.probability >= max(least, READ * best)]
            return Link(tuple(answers[:_ANSWER]), certainty=best)
        alike = [fit.record for fit in fits if fit.probability >= RIVAL * best]
        if step.op == "Update" and step.words("old"):
            # Of several that fit, the one that holds the old words is meant; if none does, one in
            # which they may be spelt differently.
            old = step.words("old")
            saying = [r for r in kept if fold(old) in fold(r.text)] or [
                r for r in kept[:_SPELT] if exchange(r.text, old, step.words("new")) is not None
            ]
            alike = [r for r in saying if r in alike] or saying[:1] or alike
        rivals = tuple(alike[1 : 1 + _SHOWN])
        return Link(tuple(alike[:1]), rivals=rivals, certainty=best)

    def _partly(self, step: Step, fitting: Sequence[Record], link: Link) -> Link:
        """The link, with a mark if the store may hold more memories that fit, beyond a limit; of
        the oldest, it is then not certain that these are meant."""
        enough = step.values.get("count") == len(link.records) and not self.marks.in_order
        if enough or self.edge.isdisjoint(record.id for record in fitting):
            return link
        if not self.marks.in_order:
            return replace(link, more=True)
        # Of a large store only the newest were all looked at.
        newest = {record.id for record in self._sight.visible.rows}
        latest = step.values["which"] == "latest" and newest.issuperset(link.ids)
        return link if latest else replace(link, certainty=0.0)

    def _by_marks(self, step: Step, pool: Sequence[Record]) -> Link:
        """Link without words: by tags, time, order, and what is left out."""
        tags = step.listed("tags")
        if step.words("from") and not self.marks.stretches:
            # No time can be read from these words, so they are search words.
            fits = self._ranked(step.words("from"), self._tagged(step, pool))
            return self._one_or_many(step, fits)
        records = self._tagged(step, self._within(step, pool))
        if not records:
            return Link(missing=self._said(step))
        kept = self._without(step, records)
        alone = tags and not {"from", "except", "which", "count"} & set(step.values)
        which = step.values.get("which")
        named = bool(tags or step.words("from") or which in ("latest", "oldest", "all"))
        filter = self.marks.filter(len(kept), exact=True) if alone else None
        left_out = len(records) - len(kept)
        return replace(self._cut(step, kept), filter=filter, named=named, left_out=left_out)

    def _cut(self, step: Step, records: Sequence[Record]) -> Link:
        """Link to as many memories as the step says, by time if it says latest or oldest."""
        which, count = step.values.get("which"), step.values.get("count")
        if which in ("latest", "oldest"):
            newest_first = which == "latest"
            records = sorted(records, key=lambda r: (r.created_at, int(r.id)), reverse=newest_first)
            count = count or 1
        return Link(tuple(records[:count]))

    def _without(self, step: Step, records: Sequence[Record]) -> list[Record]:
        """The memories without those that ``except`` means."""
        words = step.words("except")
        if not words or not records:
            return list(records)
        tagged = {r.id for r in records if words.casefold() in map(str.casefold, r.tags)}
        fits = self._ranked(words, records)
        best = fits[0].probability
        left = {f.record.id for f in fits if f.probability >= max(MANY, SHARE * best)}
        return [record for record in records if record.id not in left | tagged]

    def _tagged(self, step: Step, records: Sequence[Record]) -> list[Record]:
        wanted = {tag.casefold() for tag in step.listed("tags")}
        return [r for r in records if wanted <= {tag.casefold() for tag in r.tags}]

    def _within(self, step: Step, records: Sequence[Record]) -> list[Record]:
        """The memories from the time that the step names; all of them if no time can be read.

        For a question, these include memories whose text names a day of that time, if it is not
        over yet or no other memory is from it.
        """
        stretches = self.marks.stretches
        if not stretches:
            return list(records)
        made = [r.id for r in records if _in(stretches, (r.when, r.created_at))]
        named: list[str] = []
        if step.op in READS and (not made or any(each.end > self.ask.now for each in stretches)):
            days = ((r.id, self._sight.days(r, self.ask.tz)) for r in records)
            named = [id_ for id_, each in days if _in(stretches, each)]
        return [record for record in records if record.id in {*made, *named}]

    # --- queries to the store, each made once --------------------------------------------

    @property
    def _sight(self) -> Sight:
        assert self.ask.sight is not None
        return self.ask.sight

    def _ranked(self, words: str, pool: Sequence[Record]) -> list[Fit]:
        return rank(words, pool, *self._vectors(words, pool))

    def _vectors(
        self, words: str, pool: Sequence[Record]
    ) -> tuple[Vector | None, Mapping[str, Vector]]:
        """The vector of words, and the vectors of memories by id (none without the former)."""
        vector = self._sight.vector(words)
        return vector, {} if vector is None else self._sight.vectors(pool)

    # --- what the step says ------------------------------------------------------------------

    def _several(self, step: Step) -> bool:
        """Whether a step may mean more than one memory."""
        count = step.values.get("count")
        if isinstance(count, int):
            return count > 1
        return bool(step.values.get("many")) or step.op == "Merge" or bool(step.words("except"))

    def _narrowed(self, step: Step) -> bool:
        """Whether a step restricts its memories by words, tags, a time or an exception."""
        return bool({"about", "tags", "from", "except"} & set(step.values))

    def _said(self, step: Step) -> str:
        """The words, tags or time by which a step names its memories."""
        return step.words("about") or ", ".join(step.listed("tags")) or step.words("from")


def _in(stretches: Sequence[TimeRange], times: Sequence[datetime]) -> bool:
    """Whether one of the times lies in one of the stretches."""
    return any(each.start <= at <= each.end for each in stretches for at in times)
