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
from text2mem.ir.times.reading_clock import Clock
from text2mem.planner import guard
from text2mem.planner.again import Reading, SecondReader
from text2mem.planner.ask import Ask, Language
from text2mem.planner.asking import ClarifyingQuestion
from text2mem.planner.build import Built, build
from text2mem.planner.draft import Draft, Step
from text2mem.planner.judging import Judged, judge
from text2mem.planner.messages import message
from text2mem.planner.pasted import set_apart, spoken
from text2mem.planner.picture import View, look
from text2mem.planner.reader import certainty, drafted, read, reread
from text2mem.planner.resolve import recurs
from text2mem.planner.said import as_said, loses_a_number, novel
from text2mem.planner.steps import Steps
from text2mem.planner.trace import Attempt, Budget, Trace
from text2mem.providers.base import Sampling
from text2mem.providers.profiles import Profile

NEAREST = 280
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
    apart = set_apart(ask.utterance)
    unread = apart  # the text for which the reader sees a mark
    bare_ask = ask if apart is None else replace(ask, utterance=apart.own)
    shown = profile.tuned and ask.store is not None
    view = look(ask, budget.picture or profile.picture, NEAREST) if shown else None
    request = read(bare_ask, profile, sampling, view)
    tuned = SecondReader(ask, profile, sampling, trace, view) if profile.tuned else None
    previous = ""
    while True:
        try:
            answer = yield request
        except ModelOutputError as error:
            trace.failed(error)
            if trace.spent(budget) or trace.repeats():
                error.attempts = tuple(trace.attempts)
                raise
            continue
        trace.answered(request, answer)
        draft = drafted(answer, view)
        reading = Reading(draft if isinstance(draft, Draft) else Draft(), answer)
        if isinstance(draft, Draft):
            if tuned is not None:
                reading = yield from tuned.considered(draft, answer, bare_ask)
                bare_ask = replace(bare_ask, context=()) if reading.alone else bare_ask
            filled = reading.draft if unread is None else unread.filled(reading.draft)
            if filled is None:
                unread, bare_ask = None, ask
                request = read(ask, profile, sampling, view)
                continue
            answer, trace.remark = reading.answer, reading.remark
            draft, trace.sure = _own_words(filled, ask), certainty(answer)
            evidence = reading.evidence(view, spoken(bare_ask.utterance))
            built = build(draft, ask, evidence)
            if tuned is not None and ask.store is not None:
                certain = yield from tuned.certain(built, bare_ask, apart, keeps=reading.keeps)
                evidence = replace(evidence, ops=certain)
            trace.draft, trace.warnings = draft, tuple(built.notes)
            judged = judge(draft, built, evidence, ask, apart, language, able=profile.sees_store)
        else:
            judged = Judged(diagnostics=tuple(draft))
        problems = judged.diagnostics
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


def _missing(built: Built, view: View | None) -> str:
    """The words of a question, if the reader saw the whole store and found nothing for them."""
    if view is None or not view.whole:
        return ""
    absent = all(
        step.op in READS and link.missing and not (link.records or step.words("as_of"))
        for step, link in zip(built.steps, built.links, strict=True)
    )
    return ", ".join(link.missing for link in built.links) if absent else ""


def _own_words(draft: Draft, ask: Ask) -> Draft:
    """The draft with the request's spelling. The whole request stands for a new memory or question
    that nobody said, and for the only new memory if that lacks a number."""
    steps = []
    lost = len(draft.steps) == 1 and loses_a_number(ask.utterance, " ".join(draft.words()))
    for step in draft.steps:
        stored = (key for key in step.traits.stores if key in step.values)
        spelt = {key: as_said(step.words(key), ask.utterance) for key in stored}
        values = {**step.values, **spelt}
        if step.op == "Encode":
            if lost or any(guard.unsaid(step, ask.said)):
                values["text"] = ask.utterance
            _label_by_words(values, step, ask)
        if step.op in READS and novel(step.words("about"), ask.said):
            values["about"] = ask.utterance
        steps.append(replace(step, values=values))
    return replace(draft, steps=tuple(steps))


def _label_by_words(values: dict[str, Any], step: Step, ask: Ask) -> None:
    """Drop what a new memory is filed under if nobody said it. A place that is an instant becomes
    its date; one that is a recurrence is dropped."""
    for key in ("type", "subject", "place"):
        if novel(step.words(key), ask.said):
            del values[key]
    place = str(values.get("place", ""))
    clock = Clock(ask.now, ask.tz)
    if recurs(place, clock):
        del values["place"]
    elif clock.instant(place) is not None:
        values.setdefault("date", values.pop("place"))
