"""Judge a draft that was linked and resolved: find its doubts, and the question to ask."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from text2mem.ir.diagnostic import Diagnostic
from text2mem.ir.ops import READS
from text2mem.ir.turn import spoken_of
from text2mem.messages import message
from text2mem.planner import guard
from text2mem.planner.ask import Ask, Language
from text2mem.planner.asking import ClarifyingQuestion
from text2mem.planner.build import Built, Evidence
from text2mem.planner.draft import Draft
from text2mem.planner.guard import Doubt
from text2mem.planner.pasted import Apart
from text2mem.planner.questions import Questions


@dataclass(frozen=True, slots=True)
class Judged:
    """A draft after every stage, with what is wrong with it and the question about that.

    ``destroys``: a doubtful step destroys something. ``showable``: an able reader settles every
    doubt by staying with its draft. ``final``: no other draft would settle them.
    """

    built: Built = field(default_factory=Built)
    diagnostics: tuple[Diagnostic, ...] = ()
    question: ClarifyingQuestion | None = None
    destroys: bool = False
    showable: bool = False
    final: bool = False

    @property
    def settled(self) -> bool:
        """Whether there is something to do, and no doubt about it."""
        return bool(self.built.instances) and self.question is None and not self.diagnostics

    @property
    def chooses(self) -> bool:
        """Whether the question is which of several memories is meant."""
        asked = self.question
        meant = [] if asked is None else [each for each in asked.options if not each.keeps]
        return asked is not None and asked.reason == "ambiguous-target" and len(meant) > 1


def judge(
    draft: Draft, built: Built, evidence: Evidence, ask: Ask, apart: Apart | None,
    language: Language, *, able: bool,
) -> Judged:  # fmt: skip
    """Judge a draft.

    The first of these that exists is reported: a value that cannot be computed, a doubt of the
    guard, a violation of the language. ``apart`` is the text that the request brings along.
    ``able`` says whether the reader's links are taken as certain.
    """
    questions = Questions(draft, built, evidence, ask, language)
    if built.problems:
        return Judged(built, tuple(built.problems), questions.of_problem(built.problems[0]))
    illegal = language.errors(built.instances)
    doubts: list[Doubt] = []
    if apart is not None:
        doubts += guard.beyond(apart.beyond(draft, built.links, spoken_of(ask.context)))
    doubts += _doubts(built, evidence, ask, language, able=able, legal=not illegal)
    if apart is not None:  # unless the step already has a graver doubt
        doubted = {doubt.step for doubt in doubts}
        left = [number for number in apart.unused(draft, built.links) if number not in doubted]
        why = "the text that was given is written nowhere"
        doubts += [guard.unsure(built, number, "unsure-op", why) for number in left]
    if evidence.every is not None:
        why, every = "without the turns before, every memory is meant", range(len(built.steps))
        doubts += [guard.unsure(built, number, "unsure-target", why) for number in every]
    if doubts:
        # What no answer to the other doubts would let run is asked about first.
        gravest = next((d for d in doubts if d.kind.final and not d.kind.offers), doubts[0])
        return Judged(
            built, tuple(doubt.diagnostic for doubt in doubts), questions.of_doubt(gravest),
            destroys=any(draft.steps[doubt.step].traits.destroys for doubt in doubts),
            showable=not illegal and all(doubt.kind.showable for doubt in doubts),
            final=all(doubt.kind.final for doubt in doubts),
        )  # fmt: skip
    if illegal:
        text = message("not-expressible", ask.utterance)
        return Judged(built, illegal, ClarifyingQuestion(text, "not-expressible"))
    return Judged(built)


def _doubts(
    built: Built, evidence: Evidence, ask: Ask, language: Language, *, able: bool, legal: bool
) -> Iterator[Doubt]:
    """Yield the refusal of the store in a dry run, or else the doubts of the guard. There is no dry
    run of an illegal program, nor of one with a doubt that is not ``showable``."""
    if ask.store is None:
        return
    found = [*guard.doubts(built, evidence, ask, able=able)]
    runs = all(doubt.kind.showable or doubt.kind.offers == "run" for doubt in found)
    ops = language.parse(built.instances) if legal and runs and ask.preview is not None else ()
    if ask.preview is not None and any(op.name not in READS for op in ops):
        refusal = guard.refused(ask.preview(ops), built)
        found = found if refusal is None else [refusal]
    yield from found
