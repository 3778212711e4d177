"""Again: the further questions that a tuned model is asked, besides the draft.

Each guards against one misreading (docs/planning.md, "Reading again"): the request may only sound
like an order, take it back, be a remark or a new request, or leave out what the picked names do not
show. The guard compares the probabilities with its limits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

from text2mem.errors import ModelOutputError
from text2mem.ir.ops import READS
from text2mem.ir.turn import Turn, spoken_of
from text2mem.ir.words.segment import index_terms, telling_terms
from text2mem.ir.words.splitting import clauses
from text2mem.planner import reader
from text2mem.planner.alone_weights import IDLE
from text2mem.planner.ask import Ask
from text2mem.planner.build import Built, Evidence, build
from text2mem.planner.draft import Draft, Step
from text2mem.planner.link_weights import FOUND
from text2mem.planner.pasted import Apart
from text2mem.planner.picture import View
from text2mem.planner.reader_limits import READ_WELL
from text2mem.planner.said import FILED, novel
from text2mem.planner.steps import Steps
from text2mem.planner.trace import Trace
from text2mem.planner.trust import undoes
from text2mem.providers.base import Completion, Request, Sampling
from text2mem.providers.profiles import Profile

_CLAUSES = 3
"""How many of its last clauses a request may take its order back in."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A draft with the answer that it was read from."""

    draft: Draft
    answer: Completion
    alone: bool = False
    """Whether it was read without the earlier turns."""
    asked: str = ""
    """The question that the model asked back; the draft is then what it would do otherwise."""
    every: Draft | None = None
    """A draft that means every memory, and that may be meant in its place."""
    remark: bool = False
    """Whether the request read as a change with the earlier turns, and as nothing without them."""
    keeps: bool = False
    """Whether it hides memories where a reading without the store only changes some."""

    def evidence(self, view: View | None, own: str) -> Evidence:
        """What was shown, and how certain the model was. ``own`` is the request without a text that
        it brings along."""
        picks, words = reader.picked(self.answer, view), reader.worded(self.answer)
        return Evidence(view, picks, words, asked=self.asked, own=own, every=self.every)


@dataclass(frozen=True, slots=True)
class SecondReader:
    """A tuned model that is asked again about one request, of which ``whole`` is all."""

    whole: Ask
    profile: Profile
    sampling: Sampling
    trace: Trace
    view: View | None

    def certain(
        self, built: Built, ask: Ask, apart: Apart | None, *, keeps: bool = False
    ) -> Steps[Sequence[tuple[float, float]]]:
        """For each step, the probabilities from the first and from the second reading that it is
        asked for.

        The second reading covers steps that hide memories, edits whose old words were not found,
        and, where the request brings a long text along, steps that write; of others it is 1. That
        a request may take back what it hides lowers it. ``keeps``: it may hide nothing at all.
        """
        agreed: dict[str, float] = {}
        own_part = apart.own if apart is not None and apart.long else ""
        hiding: dict[str, tuple[str, ...]] = {}
        for number, (step, link) in enumerate(zip(built.steps, built.links, strict=True)):
            writes = step.traits.confirmed_from and (own_part or number in built.beside)
            if step.hides and not link.missing:
                hiding[step.op] = (*hiding.get(step.op, ()), *link.ids)
                if keeps:
                    agreed[step.op] = 0.0  # no second reading could confirm it
            elif not writes:
                continue
            if step.op not in agreed:
                said = own_part if writes and own_part else ask.utterance
                asked = self.view, said, ask.turns, ask.once
                prompt = reader.tuned_prompt(*asked, asks_for=step.op)
                answer = yield from self._ask(reader.second(prompt, self.profile, self.sampling))
                agreed[step.op] = reader.agreement(answer) if answer is not None else 0.0
        if any(agreed[op] >= READ_WELL for op in hiding):
            ids = tuple(chain.from_iterable(hiding.values()))
            taken_back = yield from self._taken_back(ask, ids)
            agreed |= {op: agreed[op] * (1.0 - taken_back) for op in hiding}
        return [(self.trace.sure, agreed.get(step.op, 1.0)) for step in built.steps]

    def _taken_back(self, ask: Ask, ids: tuple[str, ...]) -> Steps[float]:
        """The probability that the end of a request takes back its beginning ("delete the lease,
        but keep it"). Each of its last clauses is read after a turn that holds all before it and
        the memories ``ids``; the highest probability of an undo is returned."""
        likely = 0.0
        for at in clauses(ask.utterance)[-_CLAUSES:]:
            before = (*ask.turns, Turn(ask.utterance[:at].strip(), ids=ids))
            answer = yield from self._begun(ask, ask.utterance[at:], before)
            likely = max(likely, reader.undone(answer) if answer is not None else 0.0)
        return likely

    def considered(self, draft: Draft, answer: Completion, ask: Ask) -> Steps[Reading]:
        """The reading to use, after every question about the draft as a whole."""
        reading = yield from self._reconciled(draft, answer, ask)
        asked = reading.draft.ask
        if self.view is None:
            return reading
        if reading.alone:
            ask = replace(ask, context=())
        if asked:
            instead = yield from self._read(self.view, ask, steps=True)
            if instead is None:
                return reading
            reading = replace(reading, draft=instead.draft, answer=instead.answer, asked=asked)
        return (yield from self._blind(reading, ask))

    def _reconciled(self, draft: Draft, answer: Completion, ask: Ask) -> Steps[Reading]:
        """The draft, which was read with the earlier turns, or one without them."""
        with_turns = Reading(draft, answer)
        if not ask.turns:
            return (yield from self._wider(with_turns, ask))
        hides = any(step.hides for step in draft.steps)
        stands, idles = yield from self._stands(draft, answer, ask)
        leans = any(self._leans(step, ask.utterance) for step in draft.steps)
        # News of something else may look like a change of what the turns were about.
        spoken = _meant(draft).intersection(spoken_of(ask.turns)) if draft.changes else ()
        leans |= bool(spoken) and not hides
        answers = ask.context[-1].question
        # A request that is no undo, but asks for something, may be a question.
        again = (leans and not answers and (stands or hides)) or not (stands or idles)
        alone = (yield from self._alone(ask)) if again else None
        every = alone if alone is not None and self._everything(alone.draft) else None
        if not stands:
            if alone is not None and alone.draft.steps and not alone.draft.changes:
                return alone
            if every is None and not self._everything(draft):
                return Reading(Draft(), answer, remark=True)
            return every or with_turns
        if alone is None:
            return with_turns
        if self._fits_better(alone, with_turns, ask.utterance):
            return alone
        keeps = {step.op for step in alone.draft.steps} == {"Encode"}
        if keeps and not hides:
            return alone
        if self._shared(draft, ask.utterance):
            return with_turns
        absent = not hides and self._absent(alone.draft)
        if absent or (every is not None and not every.draft.changes):
            return alone
        return replace(with_turns, every=every.draft if every is not None and hides else None)

    def _stands(self, draft: Draft, answer: Completion, ask: Ask) -> Steps[tuple[bool, bool]]:
        """Whether the utterance alone asks for the draft's change, too, and whether for nothing."""
        if not draft.changes:
            return True, False
        beginning = yield from self._begun(ask, ask.utterance)
        if beginning is None:
            return True, False
        idles = reader.idle(beginning) >= IDLE
        if draft.undo:
            return undoes(reader.undone(answer), reader.undone(beginning)), idles
        return not idles, idles

    def _alone(self, ask: Ask) -> Steps[Reading | None]:
        """The reading without the earlier turns; None if the answer is no draft."""
        alone = yield from self._read(self.view, replace(ask, context=()), steps=True)
        return alone and (yield from self._wider(replace(alone, alone=True), ask))

    def _wider(self, reading: Reading, ask: Ask) -> Steps[Reading]:
        """The reading; but for a question that picks memories without words for them, the reading
        without store and turns, if that one means every memory."""
        step = reading.draft.steps[0] if len(reading.draft.steps) == 1 else None
        if self.view is None or step is None or step.op not in READS:
            return reading
        if step.words("about") or not step.listed("ids"):
            return reading
        blind = yield from self._read(None, replace(ask, context=()))
        if blind is None or blind.draft.changes or not self._everything(blind.draft):
            return reading
        return replace(blind, alone=reading.alone)

    def _blind(self, reading: Reading, ask: Ask) -> Steps[Reading]:
        """The reading, with what one without the store excepts, or finds that it hides nothing."""
        steps = reading.draft.steps
        if not any(map(_may_except, steps)):
            return reading
        blind = yield from self._read(None, ask)
        if blind is None:
            return reading
        left = {step.op: words for step in blind.draft.steps if (words := step.words("except"))}
        steps = tuple(
            replace(step, values={**step.values, "except": left[step.op]})
            if step.op in left and _may_except(step)
            else step
            for step in steps
        )
        keeps = blind.draft.changes and not any(step.hides for step in blind.draft.steps)
        return replace(reading, draft=replace(reading.draft, steps=steps), keeps=keeps)

    def _leans(self, step: Step, utterance: str) -> bool:
        """Whether a step relies on earlier turns: it means memories for which the utterance has no
        words, or files a new one under words that the utterance does not say."""
        if step.op == "Encode":
            filed = (*step.listed("tags"), *map(step.words, FILED))
            return any(novel(words, utterance) for words in filed)
        if not (step.listed("ids") or step.words("which") == "earlier"):
            return False
        may_be_named = step.op in READS or step.words("about")
        return not (may_be_named and self._shared(Draft((step,)), utterance))

    def _fits_better(self, alone: Reading, with_turns: Reading, utterance: str) -> bool:
        """Whether one reading means other memories than another, and these share more terms with
        the utterance; or as many, and the model was more certain of them."""
        if not _meant(alone.draft) or _meant(alone.draft) == _meant(with_turns.draft):
            return False

        def fit(each: Reading) -> tuple[int, float]:
            sure = min(reader.picked(each.answer, self.view), default=1.0)
            return self._shared(each.draft, utterance), sure

        return fit(alone) > fit(with_turns)

    def _shared(self, draft: Draft, utterance: str) -> int:
        """How many terms of an utterance occur in the memories that a draft picks."""
        texts = self.view.texts if self.view is not None else {}
        held = " ".join(texts.get(id_, "") for id_ in _meant(draft))
        return len(telling_terms(utterance).intersection(index_terms(held)))

    def _everything(self, draft: Draft) -> bool:
        whole = self.whole
        return whole.total > 1 and any(link.everything for link in build(draft, whole).links)

    def _absent(self, draft: Draft) -> bool:
        """Whether a draft, read without turns, names what is not stored, nor anything near it."""
        built = build(draft, replace(self.whole, context=()), Evidence(self.view))
        return any(
            telling_terms(link.missing) and not link.ids and link.certainty < FOUND
            for link in built.links
        )

    def _read(self, view: View | None, ask: Ask, *, steps: bool = False) -> Steps[Reading | None]:
        """The request read beside ``view``; None if it is no draft. ``steps``: no asking back."""
        asked = ask.utterance, ask.turns, self.profile, self.sampling, ask.once
        answer = yield from self._ask(reader.asking(view, *asked, steps=steps))
        draft = reader.drafted(answer, view) if answer is not None else None
        return Reading(draft, answer) if answer and isinstance(draft, Draft) else None

    def _begun(
        self, ask: Ask, utterance: str, before: Sequence[Turn] = ()
    ) -> Steps[Completion | None]:
        """The beginning of the answer to an utterance after some turns."""
        asked = self.view, utterance, self.profile, self.sampling, ask.once, before
        return (yield from self._ask(reader.beginning_of(*asked)))

    def _ask(self, request: Request) -> Steps[Completion | None]:
        """The answer to a question; None if it is not usable."""
        try:
            answer = yield request
        except ModelOutputError:
            return None
        self.trace.record_answer(request, answer)
        return answer


def _may_except(step: Step) -> bool:
    """Whether a step may have to leave out some picks: it hides memories, or changes several."""
    least = 1 if step.hides and step.op != "Merge" else 2
    return step.op not in READS and len(step.listed("ids")) >= least and not step.words("except")


def _meant(draft: Draft) -> set[str]:
    """The ids that a draft picks."""
    return {id_ for step in draft.steps for id_ in step.listed("ids")}
