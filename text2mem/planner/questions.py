"""Questions: what the person is asked about a doubt or a problem."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from text2mem.ir.diagnostic import Diagnostic
from text2mem.ir.effects import fates, instance_in_words, short
from text2mem.ir.record import Record
from text2mem.ir.result import ProgramResult
from text2mem.ir.surface import STAGES
from text2mem.messages import message
from text2mem.planner.ask import Ask, Language
from text2mem.planner.asking import Choice, ClarifyingQuestion, Reason, candidates
from text2mem.planner.build import Built, Evidence, build
from text2mem.planner.draft import Draft, Step
from text2mem.planner.effects import LABEL, effect
from text2mem.planner.guard import Doubt

_SHOWN = 4
_HIDING = ("archived", "deleted", "expire_at")
"""The fields that put a memory out of sight, at once or at an instant."""
_PROBLEMS: dict[str, tuple[str, Reason]] = {
    "unreadable-time": ("unreadable-time", "unreadable-time"),
    "horizon-past": ("horizon-past", "unreadable-time"),
    "not-the-next": ("not-the-next", "unreadable-time"),
    "missing-key": ("missing-content", "missing-content"),
    "words-not-found": ("words-not-found", "missing-content"),
    "nothing-found": ("nothing-found", "nothing-found"),
}


@dataclass(frozen=True, slots=True)
class Questions:
    """The questions about one draft. Their options are the programs that each answer would make."""

    draft: Draft
    built: Built
    evidence: Evidence
    ask: Ask
    language: Language

    def of_doubt(self, doubt: Doubt) -> ClarifyingQuestion:
        shown, offers = doubt.records[:_SHOWN], (*self._offers(doubt),)
        several = doubt.message in ("ambiguous-target", "nothing-found") or len(shown) > 1
        meant = self._meant(self.built.steps[doubt.step], shown, several=several)
        text = meant
        if doubt.message not in ("ambiguous-target", "unsure-target"):
            name = "locked-fast" if doubt.kind.offers == "unlock" and not offers else doubt.message
            text = self._message(name, words=doubt.words, count=doubt.count, ask=meant)
        asked = ClarifyingQuestion(text, doubt.kind.reason, offers, candidates(shown))
        answers = any(turn.question for turn in self.ask.context[-1:])
        news = doubt.message == "nothing-found" or (
            doubt.message == "unsure-target" and not answers
        )
        return self._with_everything(self._with_keeping(asked) if news else asked)

    def of_problem(self, problem: Diagnostic) -> ClarifyingQuestion:
        """The question about a value that cannot be computed."""
        name, reason = _PROBLEMS.get(problem.code, ("not-expressible", "not-expressible"))
        _, _, number, key = problem.pointer.split("/", 3)
        step = self.draft.steps[int(number)]
        words = step.words("about") if key == "which" else step.words(key) or step.words("about")
        shown = self.built.links[int(number)].records[:_SHOWN]
        meant = self._meant(step, shown, several=True)
        if name == "words-not-found" and any(words in record.text for record in shown):
            name = "missing-content"  # it is there, and not clear what it becomes
        if name == "nothing-found" and not words:
            return ClarifyingQuestion(meant, "ambiguous-target", (), candidates(shown))
        text = self._message(name, words=words, ask=meant)
        asked = ClarifyingQuestion(text, reason, (), candidates(shown))
        return self._with_keeping(asked) if name == "nothing-found" else asked

    def _offers(self, doubt: Doubt) -> Iterator[Choice]:
        shown = doubt.records[:_SHOWN]
        if doubt.kind.offers == "run":
            yield self._choice(self._message("run-it"), self.built.instances)
        elif doubt.kind.offers == "unlock" and len(self.draft.steps) == 1:
            lock = {"stage": STAGES["Lock"], "op": "Lock", "target": {"ids": [doubt.words]}}
            program = [{**lock, "args": {"mode": "none"}}, *self.built.instances]
            preview = self.ask.preview
            if preview is not None and _keeps_all(preview(self.language.parse(program))):
                yield self._choice(self._message("run-it"), program)
        elif doubt.kind.offers == "part":
            taken_out = self._message("take-out", words=doubt.words)
            yield from self._rebuilt(taken_out, doubt.step, shown, doubt.instead)
            gone = self._message("the-whole", words=short(shown[0].title, LABEL))
            yield from self._rebuilt(gone, doubt.step, shown)
        elif doubt.kind.offers == "records":
            if doubt.message in ("unsure-op", "unsure-target") and len(doubt.records) > 1:
                titles = (short(each.title, LABEL // len(shown)) for each in shown)
                together = self._message("told-next").join(titles)
                if len(doubt.records) > len(shown):
                    more = len(doubt.records) - len(shown)
                    together = self._message("and-more", shown=together, count=more)
                yield from self._rebuilt(together, doubt.step, doubt.records)
            for record in shown:
                yield from self._rebuilt(short(record.title, LABEL), doubt.step, [record])

    def _rebuilt(
        self, label: str, number: int, records: Sequence[Record], instead: Step | None = None
    ) -> Iterator[Choice]:
        """The option in which a step means these memories, or is ``instead``; none if illegal."""
        steps = [*self.draft.steps]
        steps[number] = instead or steps[number]
        draft = replace(self.draft, steps=tuple(steps))
        made = build(draft, self.ask, self.evidence, {number: records})
        if not (made.problems or self.language.errors(made.instances)):
            yield self._choice(label, made.instances, label)

    def _choice(self, label: str, instances: list[Any], named: str = "") -> Choice:
        """An option with its effect. ``named`` is a text that is shown beside the effect."""
        return Choice(label, instances, self._would(instances, named))

    def _would(self, instances: list[Any], named: str) -> str:
        """The effect of instances by a dry run, or their steps in words; empty if illegal."""
        ask = self.ask
        if self.language.errors(instances):
            return ""
        if ask.store is None or ask.preview is None:
            return "; ".join(map(instance_in_words, instances))
        ops = self.language.parse(instances)
        return effect(ops, ask.preview, ask.store, ask.utterance, ask.tz, named)

    def _meant(self, step: Step, shown: Sequence[Record], *, several: bool) -> str:
        """The question which memory is meant, or whether this one is. If the step hides it, the
        question says what would happen to it."""
        if not shown:
            sight = self.ask.sight
            return self._message("which" if sight is None or sight.everything.matched else "empty")
        kind = step.traits.asked_as if step.hides else "meant"
        return self._message(f"{kind}-{'which' if several else 'this'}")

    def _with_keeping(self, question: ClarifyingQuestion) -> ClarifyingQuestion:
        """The question with the option to keep the request, if all it does is to write something
        into a memory that is not stored, or that may not be meant."""
        (step, *others) = self.draft.steps or (None,)
        if step is None or others or step.op != "Update" or not step.adds:
            return question
        kept = Draft((Step("Encode", {"text": self.ask.utterance}),))
        keep = self._choice(self._message("keep"), build(kept, self.ask).instances)
        return replace(question, options=(*question.options, replace(keep, keeps=True)))

    def _with_everything(self, question: ClarifyingQuestion) -> ClarifyingQuestion:
        """The question with a last option for every memory, if the request alone means that, in
        place of one that does the same."""
        every = self.evidence.every
        if every is None or question.reason == "everything":
            return question
        name = self._message("every-memory", count=self.ask.total)
        choice = self._choice(name, build(every, self.ask).instances)
        others = (each for each in question.options if each.effect != choice.effect)
        return replace(question, options=(*others, choice))

    def _message(self, name: str, **values: object) -> str:
        return message(name, self.ask.utterance, **values)


def _keeps_all(done: ProgramResult) -> bool:
    """Whether a program may run, and puts nothing out of sight, now or later. What a lock keeps
    from being thrown away is thrown away by a request of its own."""
    changes = [each for step in done.results for each in step.changes]
    hidden = any(each.field in _HIDING and each.after for each in changes)
    return done.ok and not hidden and not any(fates(step)["removed"] for step in done.results)
