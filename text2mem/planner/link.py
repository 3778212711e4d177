"""Link: a step's "which" to the memories that it means, or to nothing, or to several as likely."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property

from text2mem.ir.ops import READS, ByFilter
from text2mem.ir.record import Record
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.stretches import read_stretches
from text2mem.ir.times.temporal import TimeRange
from text2mem.ir.turn import spoken_of
from text2mem.ir.words.folding import fold
from text2mem.ir.words.likeness import Vector
from text2mem.planner.ask import Ask
from text2mem.planner.days import days_in
from text2mem.planner.draft import Step
from text2mem.planner.edit import exchange
from text2mem.planner.link_weights import FOUND, MANY, READ, RIVAL, SHARE, SURE
from text2mem.planner.linked import Link
from text2mem.planner.picked import Picked
from text2mem.planner.picture import View
from text2mem.planner.rank import Fit, rank

_HIDDEN: tuple[str, str] = ("archived", "deleted")
_SEARCHED = 40
_SHOWN = 3
_ANSWER = 4
"""How many memories a question that names no number is answered from."""
_REVEALING = ("Retrieve", "Promote", "Update", "Summarize")
"""Ops that may mean a memory which is put away: they read, edit or bring back."""
_MAKES = ("Encode", "Split", "Merge")
"""Ops whose memories are not there before they have run."""


@dataclass
class Linker:
    """Links the steps of one draft, in order; each may speak of those before it.

    ``view`` is what a reader was shown that picks what it means; ``picks`` how sure it was of the
    ids of each step; ``said`` is the request without a text that it brings along.
    """

    ask: Ask
    view: View | None = None
    picks: Sequence[float] = ()
    said: str = ""
    done: list[tuple[Step, Link]] = field(default_factory=list)

    def link(self, step: Step, fellows: Collection[str] = ()) -> Link:
        """The link of the next step; ``fellows`` are the ids of what others do the same to."""
        about = step.words("about")
        if self.ask.own is not None and about and not step.listed("ids"):
            step = replace(step, values={**step.values, "about": self.ask.own.plain(about)})
        found = Link() if step.op == "Encode" else self._found(step, fellows)
        if step.op == "Merge" and found.records:
            found = self._merged(step, found)
        self.done.append((step, found))
        return found

    def _merged(self, step: Step, found: Link) -> Link:
        """With the memory that stays, which may be named apart from those that join it."""
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
        if step.listed("ids"):
            return self._by_ids(step, fellows)
        which = step.values.get("which")
        if which == "step" and self.done:
            return self._of_step(step)
        if self.ask.store is None:
            shown = next((turn.ids for turn in reversed(self.ask.context) if turn.ids), ())
            if which == "earlier" and shown:
                return Link(given=shown)
            return Link(everything=which == "all", missing=self._said(step), named=which != "all")
        if which == "earlier":
            earlier = self._earlier(step)
            if earlier is not None:
                return earlier
        if which == "all" and not self._narrowed(step):
            return Link(records=self._visible, everything=True, named=False)
        about = step.words("about")
        if self.view is not None and self.view.whole and about:
            return self._unseen(step)
        found = self._chosen(step, self._pool_for(about, step) if about else self._visible)
        if step.op in _REVEALING or not about:
            return found
        # What is put away may be meant as well, where it fits better than anything in sight.
        away = [record for record in self._all if record.archived and not record.deleted]
        put_by = self._chosen(step, away)
        better = not found.records or put_by.certainty > found.certainty
        return put_by if put_by.records and better else found

    def _by_ids(self, step: Step, fellows: Collection[str]) -> Link:
        ids = tuple(dict.fromkeys(step.listed("ids")))
        if self.ask.store is None:
            return Link(given=ids)
        for before, (earlier, link) in enumerate(self.done, 1):
            joined = {record.id for record in link.records}
            if earlier.op == "Merge" and joined and set(ids) <= joined:
                return replace(link, records=(), step=before, rivals=())
        held = self.ask.store.find(ids)
        records = tuple(held[id_] for id_ in ids if id_ in held)
        lost = [id_ for id_ in ids if id_ not in held]
        number = len(self.done)
        sure = self.picks[number] if number < len(self.picks) else 1.0
        found = Link(records, missing=", ".join(lost), certainty=sure, picked=True)
        if self.view is None or step.op in READS:
            return found
        about = step.words("about")
        plain = [self.ask.own.plain(words) for words in (self.said, about)] if self.ask.own else []
        doubts = Picked(
            step, records, self.said, self._all, *self._said_vectors, self.ask.vector(about),
            [(words, self.ask.vector(words)) for words in plain],
            [record for record in self._all if record.id in fellows and record.id not in held],
        )  # fmt: skip
        return replace(
            found, borne_out=doubts.borne_out, apart=doubts.apart, blind=doubts.vector is None,
            rivals=doubts.rivals(spoken_of(self.ask.context))[:_SHOWN],
        )  # fmt: skip

    def _unseen(self, step: Step) -> Link:
        """Words in place of ids, from a reader that was shown everything but what is deleted: they
        mean that, or nothing, but where they fit so well that it must have missed something."""
        revealing = step.op == "Promote" or "for_good" in step.values
        gone = [record for record in self._all if record.deleted and revealing]
        held = [record for record in self._all if not record.deleted]
        for pool, least in ((held, SURE), (gone, FOUND)):
            found = self._chosen(step, pool) if pool else Link()
            if found.records and found.certainty >= least:
                return found
        return self._nearest(step, self._ranked(step.words("about"), held))

    def _nearest(self, step: Step, fits: Sequence[Fit]) -> Link:
        """Nothing is found, and these fit best."""
        near = tuple(fit.record for fit in fits[:_SHOWN])
        best = fits[0].probability if fits else 0.0
        return Link(near=near, missing=self._said(step), certainty=best)

    def _of_step(self, step: Step) -> Link:
        number = len(self.done)
        before, link = self.done[-1]
        if before.op in _MAKES or not link.records:
            return replace(link, records=(), step=number, everything=False, rivals=())
        if not self._narrowed(step):
            return replace(link, everything=False)
        return self._chosen(step, link.records)

    def _earlier(self, step: Step) -> Link | None:
        """What the last turn that says something was about; None where there was none."""
        for turn in reversed(self.ask.context):
            if turn.ids:
                held = self.ask.store.find(turn.ids) if self.ask.store is not None else {}
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
            return Link(missing="", named=False)
        return None

    def _pool_for(self, words: str, step: Step) -> Sequence[Record]:
        revealing = step.op in _REVEALING or "for_good" in step.values
        pool = {record.id: record for record in self._all}
        assert self.ask.store is not None
        vector = self.ask.vector(words)
        for record in self.ask.store.search(
            words, vector=vector, limit=_SEARCHED, include=_HIDDEN  # type: ignore[arg-type]
        ):  # fmt: skip
            pool.setdefault(record.id, record)
        deleted = step.op == "Promote" or "for_good" in step.values
        return [
            record
            for record in pool.values()
            if (revealing or not record.archived) and (deleted or not record.deleted)
        ]

    # --- which of them -------------------------------------------------------------------

    def _chosen(self, step: Step, pool: Sequence[Record]) -> Link:
        about = step.words("about")
        if not about:
            return self._by_marks(step, pool)
        dated = self._within(step, pool)
        tagged = self._tagged(step, dated)
        if step.listed("tags") and tagged:
            fits = self._ranked(about, tagged)
            fits = [fit for fit in fits if fit.probability >= MANY * SHARE]
            # Words beside a tag tell its memories apart, or only say what they are.
            return self._one_or_many(step, fits) if fits else self._cut(step, tagged)
        fits = self._ranked(about, dated)
        if (not fits or fits[0].probability < FOUND) and len(dated) < len(pool):
            fits = self._ranked(f"{about} {step.words('from')}", pool)
        return self._one_or_many(step, fits)

    def _one_or_many(self, step: Step, fits: Sequence[Fit]) -> Link:
        best = fits[0].probability if fits else 0.0
        several = self._several(step)
        least = MANY if several else FOUND
        if best < least:
            return self._nearest(step, fits)
        kept = [f.record for f in fits if f.probability >= max(MANY, SHARE * best)]
        if several:
            kept = self._without(step, kept)
        if several or step.values.get("which") in ("latest", "oldest"):
            return replace(self._cut(step, kept), certainty=best)
        if step.op in READS:
            answers = [f.record for f in fits if f.probability >= max(least, READ * best)]
            return Link(tuple(answers[:_ANSWER]), certainty=best)
        alike = [fit.record for fit in fits if fit.probability >= RIVAL * best]
        if step.op == "Update" and step.words("old"):
            # Of several that fit, the one is meant that says the words which are to go; where none
            # does, one in which they could stand written otherwise.
            old = step.words("old")
            saying = [r for r in kept if fold(old) in fold(r.text)] or [
                r for r in kept if exchange(r.text, old, step.words("new")) is not None
            ]
            alike = [r for r in saying if r in alike] or saying[:1] or alike
        rivals = tuple(alike[1 : 1 + _SHOWN])
        return Link(tuple(alike[:1]), rivals=rivals, certainty=best)

    def _by_marks(self, step: Step, pool: Sequence[Record]) -> Link:
        """Without words: by tags, time, and what is left out."""
        tags = step.listed("tags")
        if step.words("from") and not self._stretches(step):
            # No time can be read of the words: they say something else of the memories.
            fits = self._ranked(step.words("from"), self._tagged(step, pool))
            return self._one_or_many(step, fits)
        records = self._tagged(step, self._within(step, pool))
        if not records:
            return Link(missing=self._said(step))
        kept = self._without(step, records)
        alone = tags and not {"from", "except", "which", "count"} & set(step.values)
        which = step.values.get("which")
        named = bool(tags or step.words("from") or which in ("latest", "oldest", "all"))
        found = self._cut(step, kept)
        return replace(found, tags=self._spelt(tags) if alone else (), named=named)

    def _cut(self, step: Step, records: Sequence[Record]) -> Link:
        """As many as are said, the latest or the oldest first where that is said."""
        which, count = step.values.get("which"), step.values.get("count")
        if which in ("latest", "oldest"):
            ordered = sorted(records, key=lambda r: (r.created_at, int(r.id)))
            ordered = ordered if which == "oldest" else ordered[::-1]
            return Link(tuple(ordered[: count or 1]))
        limit = count if isinstance(count, int) and count > 0 else len(records)
        return Link(tuple(records[:limit]))

    def _without(self, step: Step, records: Sequence[Record]) -> list[Record]:
        words = step.words("except")
        if not words or not records:
            return list(records)
        tagged = {r.id for r in records if words.casefold() in map(str.casefold, r.tags)}
        fits = self._ranked(words, records)
        best = fits[0].probability
        left = {f.record.id for f in fits if f.probability >= max(MANY, SHARE * best)}
        return [record for record in records if record.id not in left | tagged]

    def _tagged(self, step: Step, records: Sequence[Record]) -> list[Record]:
        tags = step.listed("tags")
        wanted = [tag.casefold() for tag in self._spelt(tags)]
        return [r for r in records if {*wanted} <= {tag.casefold() for tag in r.tags}]

    def _within(self, step: Step, records: Sequence[Record]) -> list[Record]:
        """Those from the time that is said; all of them where no time can be read of it. A question
        about a time that is not over means the days that memories name, too, and so does one about
        a time from which there is none."""
        stretches = self._stretches(step)
        if not stretches:
            return list(records)
        made = [r.id for r in records if _in(stretches, (r.when, r.created_at))]
        named: list[str] = []
        if step.op in READS and (not made or any(each.end > self.ask.now for each in stretches)):
            # As they were meant when the text was written.
            written = ((r, Clock(r.created_at, self.ask.tz)) for r in records)
            named = [r.id for r, clock in written if _in(stretches, days_in(r.text, clock))]
        return [record for record in records if record.id in {*made, *named}]

    def _stretches(self, step: Step) -> tuple[TimeRange, ...]:
        said = step.words("from")
        if not said:
            return ()
        return read_stretches(said, Clock(self.ask.now, self.ask.tz), roughly=step.op in READS)

    # --- what is asked of the store, once ------------------------------------------------

    @cached_property
    def _all(self) -> tuple[Record, ...]:
        assert self.ask.store is not None
        return tuple(self.ask.store.select(ByFilter(weight_gte=0.0, include=_HIDDEN)))  # type: ignore[arg-type]

    @property
    def _visible(self) -> tuple[Record, ...]:
        return tuple(r for r in self._all if not (r.archived or r.deleted))

    def _ranked(self, words: str, pool: Sequence[Record]) -> list[Fit]:
        return rank(words, pool, *self._vectors(words, pool))

    def _vectors(
        self, words: str, pool: Sequence[Record]
    ) -> tuple[Vector | None, Mapping[str, Vector]]:
        """The vector of words, and those of memories by id; without one of words none."""
        vector = self.ask.vector(words)
        if vector is None or self.ask.store is None:
            return vector, {}
        return vector, dict(self.ask.store.vectors([record.id for record in pool]))

    @cached_property
    def _said_vectors(self) -> tuple[Vector | None, Mapping[str, Vector]]:
        """Those of the request and of everything."""
        return self._vectors(self.said, self._all)

    def _spelt(self, tags: Sequence[str]) -> tuple[str, ...]:
        """The tags as the store spells them."""
        held = {tag.casefold(): tag for record in self._all for tag in record.tags}
        return tuple(held.get(tag.casefold(), tag) for tag in tags)

    # --- what is said ----------------------------------------------------------------------

    def _several(self, step: Step) -> bool:
        count = step.values.get("count")
        if isinstance(count, int):
            return count > 1
        return bool(step.values.get("many")) or step.op == "Merge" or bool(step.words("except"))

    def _narrowed(self, step: Step) -> bool:
        return bool({"about", "tags", "from", "except"} & set(step.values))

    def _said(self, step: Step) -> str:
        return step.words("about") or ", ".join(step.listed("tags")) or step.words("from")


def _in(stretches: Sequence[TimeRange], times: Sequence[datetime]) -> bool:
    return any(each.start <= at <= each.end for each in stretches for at in times)
