"""The planner: read, link, resolve, check, try and judge; then show the reader what is wrong.

Only an able reader is asked again. A small one would answer the same question in the same way, so
what is wrong with its draft becomes a question to the person. The loop is bounded in attempts and
output tokens. A draft that comes back unchanged is final: its program is returned if every doubt is
``showable`` and none of them is about a step that destroys; else the person is asked.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from text2mem.errors import ModelOutputError, RepairExhausted
from text2mem.ir.diagnostic import render
from text2mem.ir.ops import READS
from text2mem.messages import message
from text2mem.planner.again import Reading, SecondReader
from text2mem.planner.ask import Ask, Language
from text2mem.planner.asking import ClarifyingQuestion
from text2mem.planner.build import Built, build
from text2mem.planner.draft import Draft
from text2mem.planner.judging import Judged, judge
from text2mem.planner.pasted import set_apart, spoken
from text2mem.planner.picture import View, look
from text2mem.planner.reader import certainty, drafted, read, reread
from text2mem.planner.said import as_requested
from text2mem.planner.steps import Steps
from text2mem.planner.trace import Attempt, Budget, Trace
from text2mem.providers.base import Completion, Sampling
from text2mem.providers.profiles import Profile

NEAREST_TOKENS = 280
"""How many tokens the nearest memories may take if a tuned reader cannot see the whole store."""


@dataclass(frozen=True, slots=True)
class Planned:
    """The result for a request: instances, or none if nothing is asked for, or an undo."""

    instances: list[Any] = field(default_factory=list)
    undo: bool = False
    missing: str = ""
    """The words of a question about something that is not stored."""


def plan(
    ask: Ask, profile: Profile, sampling: Sampling, language: Language, budget: Budget,
    trace: Trace,
) -> Steps[Planned | ClarifyingQuestion]:  # fmt: skip
    """Plan an utterance: a legal program, or a question.

    Raises RepairExhausted with every attempt, or ModelOutputError if no answer was usable.
    """
    shown = profile.tuned and ask.store is not None
    view = look(ask, budget.picture or profile.picture, NEAREST_TOKENS) if shown else None
    drafting = _Drafting(ask, profile, sampling, language, trace, view)
    request = read(drafting.asked, profile, sampling, view)
    previous = ""
    while True:
        try:
            answer = yield request
        except ModelOutputError as error:
            trace.record_failure(error)
            if drafting.kept is None and (trace.spent(budget) or trace.repeats()):
                error.attempts = tuple(trace.attempts)
                raise
            if drafting.kept is None:
                continue
            answer = drafting.kept
        else:
            trace.record_answer(request, answer)
        found = yield from drafting.judged(answer)
        if found is None:
            request = read(ask, profile, sampling, view)
            continue
        reading, judged = found
        answer, problems = reading.answer, judged.diagnostics
        program = tuple(judged.built.instances)
        trace.attempts.append(Attempt(program, problems, answer.usage, answer.text))
        back = reading.draft.ask or reading.asked
        if back and not (judged.settled or judged.chooses):
            return ClarifyingQuestion(back, "model-asks")
        if not problems:
            missing = _missing(judged.built, view)
            return Planned([] if missing else judged.built.instances, reading.draft.undo, missing)
        settled = answer.text == previous
        last = settled or not profile.echo_answer or trace.spent(budget)
        if judged.question is not None and (last or judged.final):
            kept = settled and profile.echo_answer and judged.showable and not judged.destroys
            return Planned(judged.built.instances) if kept else judged.question
        if profile.tuned:
            return ClarifyingQuestion(message("not-expressible", ask.utterance), "not-expressible")
        if settled or trace.spent(budget):
            raise RepairExhausted(
                f"the model did not write a usable draft: {render(problems)}",
                attempts=trace.attempts, hint="say it in other words, or use a larger model",
            )  # fmt: skip
        previous = answer.text
        request = reread(request, answer.text, problems, profile)


class _Drafting:
    """The way of one request from an answer of the model to a judged draft."""

    def __init__(
        self, ask: Ask, profile: Profile, sampling: Sampling, language: Language, trace: Trace,
        view: View | None,
    ) -> None:  # fmt: skip
        self._ask, self._profile, self._language = ask, profile, language
        self._trace, self._view = trace, view
        self._again = SecondReader(ask, profile, sampling, trace, view) if profile.tuned else None
        self._apart = set_apart(ask.utterance)
        self._marked = self._apart is not None  # whether the reader sees a mark for that text
        self.asked = replace(ask, utterance=self._apart.own) if self._apart else ask
        """The request as the reader is shown it."""
        self.kept: Completion | None = None
        """The answer that keeps the text, while that is read for more."""
        self._keeps: Draft | None = None  # the draft of that answer

    def judged(self, answer: Completion) -> Steps[tuple[Reading, Judged] | None]:
        """The draft in an answer after every stage, with what was read in the end; None if the
        whole request has to be read, as no step keeps the text that was set apart, or as an able
        reader keeps a short one, which may say when."""
        ask, view, trace, apart = self._ask, self._view, self._trace, self._apart
        draft = drafted(answer, view)
        if self._keeps:
            draft = apart.also(self._keeps, draft) if apart else draft
        if not isinstance(draft, Draft):
            return Reading(Draft(), answer), Judged(diagnostics=tuple(draft))
        reading = Reading(draft, answer)
        if self._again is not None:
            reading = yield from self._again.considered(draft, answer, self.asked)
            self.asked = replace(self.asked, context=()) if reading.alone else self.asked
        filled = apart.filled(reading.draft) if apart and self._marked else reading.draft
        more = apart and self._marked and self._again is None and apart.may_say_more(reading.draft)
        if filled is None or more:
            self._marked, self.asked, self._keeps = False, ask, filled
            self.kept = answer if more else None
            return None
        draft, trace.remark = as_requested(filled, ask), reading.remark
        trace.sure = certainty(reading.answer)
        evidence = reading.evidence(view, spoken(self.asked.utterance))
        built = build(draft, ask, evidence)
        if self._again is not None and ask.store is not None:
            sure = yield from self._again.certain(built, self.asked, apart, keeps=reading.keeps)
            evidence = replace(evidence, ops=sure)
        trace.draft, trace.warnings = draft, tuple(built.notes)
        able = self._profile.sees_store
        return reading, judge(draft, built, evidence, ask, apart, self._language, able=able)


def _missing(built: Built, view: View | None) -> str:
    """The words of a question, if the reader saw the whole store and found nothing for them; or if
    it asks for what is archived, or deleted, and nothing is."""
    whole = view is not None and view.whole
    absent = all(
        step.op in READS and link.missing and not (link.records or step.words("as_of"))
        and (whole or step.words("state"))
        for step, link in zip(built.steps, built.links, strict=True)
    )  # fmt: skip
    return ", ".join(link.missing for link in built.links) if absent else ""
