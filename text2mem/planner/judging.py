"""Judge: what is doubtful about a draft that was linked and resolved, and what to ask of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from text2mem.ir.diagnostic import Diagnostic
from text2mem.ir.ops import READS
from text2mem.ir.turn import spoken_of
from text2mem.planner import guard
from text2mem.planner.ask import Ask
from text2mem.planner.asking import Question
from text2mem.planner.build import Built, Evidence
from text2mem.planner.draft import Draft
from text2mem.planner.guard import Doubt
from text2mem.planner.language import Language
from text2mem.planner.messages import message
from text2mem.planner.pasted import Apart
from text2mem.planner.questions import Questions


@dataclass(frozen=True, slots=True)
class Judged:
    """A draft after every stage: what is wrong with it, and what would be asked of it.

    ``destroys``: what is doubtful destroys something. ``showable``: nothing else is wrong than what
    an able reader settles by staying with its draft. ``final``: no other draft would mend it.
    """

    built: Built = field(default_factory=Built)
    diagnostics: tuple[Diagnostic, ...] = ()
    question: Question | None = None
    destroys: bool = False
    showable: bool = False
    final: bool = False

    @property
    def settled(self) -> bool:
        """Whether there is something to do, and no doubt of it."""
        return bool(self.built.instances) and self.question is None and not self.diagnostics

    @property
    def chooses(self) -> bool:
        """Whether it is asked which of several memories is meant."""
        asked = self.question
        return asked is not None and asked.reason == "ambiguous-target" and len(asked.options) > 1


def judge(
    draft: Draft, built: Built, evidence: Evidence, ask: Ask, apart: Apart | None,
    language: Language, *, able: bool,
) -> Judged:  # fmt: skip
    """What is wrong with a draft: a value that cannot be computed, else what the guard doubts, else
    what is not legal. ``apart`` is the text that the request brings along; ``able`` says whether
    the reader's links are taken as certain."""
    questions = Questions(draft, built, evidence, ask, language)
    if built.problems:
        return Judged(built, tuple(built.problems), questions.of_problem(built.problems[0]))
    illegal = language.errors(built.instances)
    doubts: list[Doubt] = []
    if apart is not None:
        doubts += guard.beyond(apart.beyond(draft, built.links, spoken_of(ask.context)))
    doubts += _doubts(built, evidence, ask, language, able=able, legal=not illegal)
    if apart is not None:  # what a graver doubt says of a step comes first
        told = {doubt.step for doubt in doubts}
        left = [number for number in apart.unused(draft, built.links) if number not in told]
        doubts += guard.beside(left, draft, built.links)
    if evidence.every is not None:
        doubts += guard.narrower(built.steps, built.links)
    if doubts:
        return Judged(
            built, tuple(doubt.diagnostic for doubt in doubts), questions.of_doubt(doubts[0]),
            destroys=any(draft.steps[doubt.step].traits.destroys for doubt in doubts),
            showable=not illegal and all(doubt.kind.showable for doubt in doubts),
            final=all(doubt.kind.final for doubt in doubts),
        )  # fmt: skip
    if illegal:
        text = message("not-expressible", ask.utterance)
        return Judged(built, illegal, Question(text, "not-expressible"))
    return Judged(built)


def _doubts(
    built: Built, evidence: Evidence, ask: Ask, language: Language, *, able: bool, legal: bool
) -> Iterator[Doubt]:
    """What the guard doubts before anything is tried; if that does not stop the program, what the
    store would refuse of it."""
    if ask.store is None:
        return
    found = list(guard.judge(
        built.steps, built.links, ask.said, ask.total, able=able, certain=evidence.ops,
        request=ask.utterance, asked=bool(evidence.asked),
    ))  # fmt: skip
    tried = legal and ask.preview is not None and all(doubt.kind.showable for doubt in found)
    ops = language.parse(built.instances) if tried else ()
    if ask.preview is not None and any(op.name not in READS for op in ops):
        refusal = guard.refused(ask.preview(ops), built.owners)
        if refusal is not None:
            yield refusal
            return
    yield from found
