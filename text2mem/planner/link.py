"""Link: find the memories that a step means. The result is some memories, none, or rivals."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from text2mem.ir.ops import READS
from text2mem.ir.record import Record
from text2mem.ir.turn import spoken_of
from text2mem.ir.words.segment import STOPWORDS, index_terms, search_text, telling_terms, without
from text2mem.planner.ask import Ask
from text2mem.planner.draft import Step
from text2mem.planner.fitting import SHOWN, Fitting
from text2mem.planner.link_weights import FOUND, SURE
from text2mem.planner.linked import Link
from text2mem.planner.picked import Picked
from text2mem.planner.picture import View
from text2mem.planner.sight import HIDDEN, NEAREST, distinct


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

    def link(
        self, step: Step, fellows: Collection[str] = (), chosen: Sequence[Record] | None = None
    ) -> Link:
        """Link the next step. ``fellows`` are the ids in all steps of the same op, ``chosen`` the
        memories that a person chose for it."""
        about = step.words("about")
        if self.ask.own_words is not None and about and not step.listed("ids"):
            step = replace(step, values={**step.values, "about": self.ask.own_words.plain(about)})
        linking = _Linking(self, step, fellows)
        if chosen is not None:
            found = Link(tuple(chosen))
        else:
            found = Link() if step.op == "Encode" else linking.found()
        if step.op == "Merge" and found.records:
            found = linking.merged(found)
        if step.op in READS:
            found = replace(found, records=_without_wholes(found.records))
        self.done.append((step, found))
        return found


def _refers(words: str, record: Record) -> bool:
    """Whether words are more than a bare name ("the Berlin note", "Berlin trip"), and a memory has
    all of them; of Chinese ones, the characters."""
    said, held = without(words, STOPWORDS), {*index_terms(search_text(record))}
    terms = telling_terms(said)
    if not terms or (len(terms) == 1 and said == without(words, ())):
        return False
    return all(term in held or (not term.isascii() and held.issuperset(term)) for term in terms)


def _without_wholes(records: Sequence[Record]) -> tuple[Record, ...]:
    """The memories without an archived one that was split into others of them, which may have
    changed since."""
    parts = {record.id for record in records if not record.away}
    return tuple(r for r in records if not (r.archived and parts & {*r.lineage_children}))


@dataclass
class _Linking:
    """The link of one step of a draft. ``fellows`` are as in ``Linker.link``."""

    linker: Linker
    step: Step
    fellows: Collection[str]

    @cached_property
    def fit(self) -> Fitting:
        return Fitting(self.step, self.linker.ask)

    def merged(self, found: Link) -> Link:
        """Add the memory that a Merge keeps (``into``): one of those merged, or another one. Beside
        several, the words for another one have to refer to it: else they may name the result."""
        words = self.step.words("into")
        if not words:
            return found
        among = self.fit.ranked(words, found.records)
        if among and among[0].probability >= FOUND:
            return replace(found, primary=among[0].record)
        fits = self.fit.ranked(words, self.fit.pool(words))
        if not fits or fits[0].probability < FOUND:
            return found
        kept = fits[0].record
        if len(found.records) > 1 and not _refers(words, kept):
            return found
        return replace(found, records=(kept, *found.records), primary=kept)

    def found(self) -> Link:
        """Find what the step means: by ids, earlier steps or turns, everything, marks, or words."""
        step, ask, fit = self.step, self.linker.ask, self.fit
        if step.listed("ids"):
            return self._by_ids()
        which = step.values.get("which")
        if which == "step" and self.linker.done:
            return self._of_step()
        if ask.store is None:
            if which == "earlier" and ask.named_last:
                return Link(given=ask.named_last)
            if fit.marks.state:  # no target of the language says it
                return Link()
            return Link(everything=which == "all", missing=fit.said, named=which != "all")
        if which == "earlier":
            earlier = self._earlier()
            if earlier is not None:
                return earlier
        if which == "all" and not fit.narrowed:
            return Link(fit.sight.visible.rows, everything=True, named=False)
        if fit.marks.state:
            return fit.away(fit.marks.state)
        about = step.words("about")
        if not about:
            found = fit.marks.counted(fit.by_marks(fit.marked()))
            hidden = [] if found.records and not fit.restores else [*fit.put_away()]
            return fit.by_marks(hidden) if hidden else found
        if self.linker.view is not None and self.linker.view.whole:
            return self._unseen(self.linker.view)
        found = fit.chosen(fit.pool(about))
        if step.traits.reveals:
            return found
        # An archived memory may be meant, too, if it fits better than every visible one.
        known = fit.known(about, HIDDEN[:1], fit.searched)
        archived = [record for record in known if record.archived and not record.deleted]
        archived_link = fit.chosen(archived)
        better = not found.records or archived_link.certainty > found.certainty
        return archived_link if archived_link.records and better else found

    def _by_ids(self) -> Link:
        """Link to ids. Picks of a tuned reader for a write are compared with the request."""
        step, fit, ask, view = self.step, self.fit, self.linker.ask, self.linker.view
        ids = tuple(dict.fromkeys(step.listed("ids")))
        if ask.store is None:
            return Link(given=ids)
        for before, (earlier, link) in enumerate(self.linker.done, 1):
            joined = {record.id for record in link.records}
            if earlier.op == "Merge" and joined and set(ids) <= joined:
                return replace(link, records=(), step=before, rivals=())
        held = ask.store.find((*ids, *self.fellows))
        picked = [held[id_] for id_ in ids if id_ in held]
        known = distinct((*picked, *self._looked_at)) if step.words("except") else picked
        left = fit.without(known)
        records = tuple(record for record in picked if record in left)
        if picked and not records:  # only what is to stay was picked
            words = {key: value for key, value in step.values.items() if key != "ids"}
            return replace(self, step=replace(step, values=words)).found()
        unknown = [id_ for id_ in ids if id_ not in held]
        picks, about = self.linker.picks[len(self.linker.done) :], step.words("about")
        sure = picks[0] if picks else 1.0  # the reader's certainty of this step
        if about and records and view is not None and len(view.records) == 1:
            # It could pick no other one, so that it picked this one tells nothing.
            sure = min(sure, fit.ranked(about, records)[0].probability)
        found = Link(records, missing=", ".join(unknown), certainty=sure, picked=True)
        if view is None or step.op in READS:
            return found
        said, own = self.linker.said, ask.own_words
        usual = [own.plain(words) for words in (said, about)] if own else []
        known = fit.without(self._looked_at)
        doubts = Picked(
            step, records, said, known, *fit.vectors(said, [*known, *held.values()]),
            fit.sight.vector(about), [(words, fit.sight.vector(words)) for words in usual],
            [record for record in held.values() if record not in records],
        )  # fmt: skip
        return replace(
            found, borne_out=doubts.borne_out, margin=doubts.margin, blind=doubts.vector is None,
            rivals=doubts.rivals(spoken_of(ask.context))[:SHOWN],
        )  # fmt: skip

    @property
    def _looked_at(self) -> Sequence[Record]:
        """The memories that picked ones are compared with."""
        return self.fit.known(self.linker.said, HIDDEN[:1], NEAREST)

    def _unseen(self, view: View) -> Link:
        """Link words where the reader saw every memory that is not deleted, and picked none.

        The words then mean a deleted memory or nothing, unless they fit a shown memory so well
        (``SURE``) that the reader must have missed it.
        """
        fit, about = self.fit, self.step.words("about")
        known = fit.known(about, HIDDEN[1:]) if fit.undeletes else ()
        gone = [record for record in known if record.deleted]
        for pool, least in ((view.records, SURE), (gone, FOUND)):
            found = fit.chosen(pool) if pool else Link()
            if found.records and found.certainty >= least:
                return found
        return fit.nearest(fit.ranked(about, fit.without(view.records)))

    def _of_step(self) -> Link:
        """Link to the result of the step before, or to those of its memories that fit."""
        number = len(self.linker.done)
        before, link = self.linker.done[-1]
        if before.traits.makes or not link.records:
            return replace(link, records=(), step=number, everything=False, rivals=())
        if not self.fit.narrowed:
            # The step before may have changed what its filter hits.
            return replace(link, everything=False, filter=None)
        found = self.fit.chosen(link.records)
        return replace(found, matched=link.matched, more=link.more) if found.records else found

    def _earlier(self) -> Link | None:
        """Link to the memories of the latest turn that has any, by its ids or else by its words.

        None if there are turns, or words, but no turn leads to a memory.
        """
        fit, about, context = self.fit, self.step.words("about"), self.linker.ask.context
        for turn in reversed(context):
            if turn.ids:
                held = fit.sight.store.find(turn.ids)
                records = tuple(held[id_] for id_ in turn.ids if id_ in held)
                if not records:
                    continue
                return fit.chosen(records) if about and len(records) > 1 else fit.cut(records)
            words = " ".join(filter(None, (turn.text, about)))
            fits = fit.ranked(words, fit.pool(words))
            if fits and fits[0].probability >= FOUND:
                return fit.one_or_many(fits)
        return None if context or about else Link(named=False)
