"""Questions to the person: what a doubt or a problem becomes where no model mends it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

from text2mem.ir.diagnostic import Diagnostic
from text2mem.ir.effects import memories, short
from text2mem.ir.record import Record
from text2mem.planner.ask import Ask
from text2mem.planner.asking import Choice, Question, Reason, candidates
from text2mem.planner.build import Built, build
from text2mem.planner.draft import Draft, Step
from text2mem.planner.guard import Doubt
from text2mem.planner.messages import message

_SHOWN = 4
_LABEL = 70
_NEWS = ("new", "add", "plus", "minus")
"""What an Update tells of what there is to come."""
_REASONS: dict[str, Reason] = {
    "everything": "everything",
    "wide": "everything",
    "too-many": "everything",
    "erases": "erases",
    "nothing-found": "nothing-found",
    "ambiguous-target": "ambiguous-target",
    "unsure-target": "ambiguous-target",
    "unsure-op": "ambiguous-target",
    "part": "ambiguous-target",
    "merge-one-memory": "ambiguous-target",
    "locked": "refused",
    "refused": "refused",
    "unsupported-by-request": "unsupported-by-request",
    "quoted": "unsupported-by-request",
    "given": "unsupported-by-request",
}
_PROBLEMS: dict[str, tuple[str, Reason]] = {
    "unreadable-time": ("unreadable-time", "unreadable-time"),
    "horizon-past": ("horizon-past", "unreadable-time"),
    "missing-key": ("missing-content", "missing-content"),
    "words-not-found": ("words-not-found", "missing-content"),
    "nothing-found": ("nothing-found", "nothing-found"),
}


class Rebuild(Protocol):
    """Makes the instances anew."""

    def __call__(
        self, step: int, records: Sequence[Record], instead: Step | None = None
    ) -> list[Any] | None:
        """With these memories in place of a step's own, and perhaps another step in its place;
        None where they are not legal."""


def of_doubt(doubt: Doubt, built: Built, ask: Ask, rebuild: Rebuild) -> Question:
    """What to ask of a doubt; its options are the programs that each answer would make."""
    shown = doubt.records[:_SHOWN]
    name = _named(doubt.message, shown)
    text = message(name, ask.utterance, words=doubt.words, count=doubt.count)
    options: list[Choice] = []
    meant: list[tuple[str, Sequence[Record], Step | None]] = []
    if doubt.message in ("everything", "wide", "erases", "quoted", "given"):
        told = doubt.diagnostic.message
        if shown:
            names = [short(each.text, _LABEL // len(shown)) for each in shown]
            told = f"{told}: {'; '.join((*names, *['…'] * (len(doubt.records) > _SHOWN)))}"
        options = [Choice(_ops(built), built.instances, told)]
    elif doubt.message == "part":
        taken_out = message("take-out", ask.utterance, words=doubt.words)
        gone = message("the-whole", ask.utterance, words=short(shown[0].text, _LABEL))
        meant = [(taken_out, shown, doubt.instead), (gone, shown, None)]
    elif doubt.message in ("ambiguous-target", "unsure-target", "unsure-op", "nothing-found"):
        if doubt.message in ("unsure-op", "unsure-target") and len(doubt.records) > 1:
            together = "; ".join(short(each.text, _LABEL // len(shown)) for each in shown)
            meant = [(together, doubt.records, None)]
        meant += [(short(record.text, _LABEL), [record], None) for record in shown]
    for label, records, instead in meant:
        instances = rebuild(doubt.step, records, instead)
        if instances is not None:
            effect = _effect(built, doubt.step, records, instead)
            options.append(Choice(label, instances, effect))
    return Question(text, _REASONS[doubt.message], tuple(options), candidates(shown))


def with_keeping(question: Question, draft: Draft, ask: Ask) -> Question:
    """The same question, with what was said to keep as an option: news of what nobody had noted."""
    (step, *others) = draft.steps or (None,)
    news = step is not None and step.op == "Update" and any(map(step.words, _NEWS))
    if question.reason != "nothing-found" or others or not news:
        return question
    made = build(Draft((Step("Encode", {"text": ask.utterance}),)), ask)
    keep = Choice(message("keep", ask.utterance), made.instances, _ops(made))
    return replace(question, options=(*question.options, keep))


def with_everything(question: Question, every: Draft | None, ask: Ask) -> Question:
    """The same question, with what the request asks for by itself as its last option."""
    if every is None or question.reason == "everything":
        return question
    made = build(every, ask)
    name = message("every-memory", ask.utterance, count=ask.total)
    choice = Choice(name, made.instances, _ops(made))
    return replace(question, options=(*question.options, choice))


def of_problem(problem: Diagnostic, draft: Draft, built: Built, ask: Ask) -> Question:
    """What to ask where a value cannot be computed."""
    name, reason = _PROBLEMS.get(problem.code, ("not-expressible", "not-expressible"))
    _, _, number, key = problem.pointer.split("/", 3)
    step = draft.steps[int(number)]
    words = step.words("about") if key == "which" else step.words(key) or step.words("about")
    if name == "nothing-found" and not words:
        name, reason = "ambiguous-target", "ambiguous-target"
    shown = built.links[int(number)].records[:_SHOWN]
    text = message(_named(name, shown), ask.utterance, words=words)
    return Question(text, reason, (), candidates(shown))


def _named(message: str, shown: Sequence[Record]) -> str:
    """Which words a question has: "which of these" where there are some to show."""
    return "no-target" if message == "ambiguous-target" and not shown else message


def _ops(built: Built) -> str:
    """A program in a few words: its ops."""
    return ", ".join(str(instance["op"]) for instance in built.instances)


def _effect(
    built: Built, chosen: int, records: Sequence[Record], instead: Step | None = None
) -> str:
    """What every step does where one is about the memories that were chosen."""
    told = []
    steps = [*built.steps]
    steps[chosen] = instead or steps[chosen]
    for number, (step, link) in enumerate(zip(steps, built.links, strict=True)):
        ids = [each.id for each in (records if number == chosen else link.records)]
        told.append(f"{step.op} {memories(ids)}" if ids else step.op)
    return "; ".join(told)
