"""Questions to the person: what a doubt or a problem becomes where no model mends it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

from text2mem.ir.diagnostic import Diagnostic
from text2mem.ir.effects import short
from text2mem.ir.record import Record
from text2mem.planner.ask import Ask
from text2mem.planner.asking import Choice, Question, Reason, candidates
from text2mem.planner.build import Built, build
from text2mem.planner.draft import Draft, Step
from text2mem.planner.effects import LABEL
from text2mem.planner.guard import Doubt, hides
from text2mem.planner.messages import message

_SHOWN = 4
_HIDING = {"Delete": "delete", "Expire": "end", "Merge": "merge"}
"""What an op that hides is asked as."""
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


class Would(Protocol):
    """What a program would do, in words; ``named`` is a text that is shown beside it."""

    def __call__(self, instances: list[Any], named: str = "") -> str:
        """In one line; nothing where the program is illegal."""


def of_doubt(
    doubt: Doubt, built: Built, ask: Ask, rebuild: Rebuild, would: Would
) -> Question:  # fmt: skip
    """What to ask of a doubt; its options are the programs that each answer would make."""
    shown = doubt.records[:_SHOWN]
    several = doubt.message in ("ambiguous-target", "nothing-found") or len(shown) > 1
    meant = _meant(ask, built.steps[doubt.step], shown, several=several)
    text = meant
    if doubt.message not in ("ambiguous-target", "unsure-target"):
        text = message(
            doubt.message, ask.utterance, words=doubt.words, count=doubt.count, ask=meant
        )
    rebuilt: list[tuple[str, Sequence[Record], Step | None]] = []
    options: list[Choice] = []
    if doubt.message in ("everything", "wide", "erases", "quoted", "given"):
        run = message("run-it", ask.utterance)
        options = [Choice(run, built.instances, would(built.instances))]
    elif doubt.message == "part":
        taken_out = message("take-out", ask.utterance, words=doubt.words)
        gone = message("the-whole", ask.utterance, words=short(shown[0].text, LABEL))
        rebuilt = [(taken_out, shown, doubt.instead), (gone, shown, None)]
    elif doubt.message in ("ambiguous-target", "unsure-target", "unsure-op", "nothing-found"):
        if doubt.message in ("unsure-op", "unsure-target") and len(doubt.records) > 1:
            together = "; ".join(short(each.text, LABEL // len(shown)) for each in shown)
            rebuilt = [(together, doubt.records, None)]
        rebuilt += [(short(record.text, LABEL), [record], None) for record in shown]
    for label, records, instead in rebuilt:
        instances = rebuild(doubt.step, records, instead)
        if instances is not None:
            options.append(Choice(label, instances, would(instances, label)))
    return Question(text, _REASONS[doubt.message], tuple(options), candidates(shown))


def _meant(ask: Ask, step: Step, shown: Sequence[Record], *, several: bool) -> str:
    """The question which memory is meant; where that hides it, what would become of it."""
    if not shown:
        return message("which", ask.utterance)
    kind = _HIDING.get(step.op, "put-away") if hides(step) else "meant"
    return message(f"{kind}-{'which' if several else 'this'}", ask.utterance)


def with_keeping(question: Question, draft: Draft, ask: Ask, would: Would) -> Question:
    """The same question, with what was said to keep as an option: news of what nobody had noted."""
    (step, *others) = draft.steps or (None,)
    news = step is not None and step.op == "Update" and any(map(step.words, _NEWS))
    if question.reason != "nothing-found" or others or not news:
        return question
    made = build(Draft((Step("Encode", {"text": ask.utterance}),)), ask)
    keep = Choice(message("keep", ask.utterance), made.instances, would(made.instances))
    return replace(question, options=(*question.options, keep))


def with_everything(
    question: Question, every: Draft | None, ask: Ask, would: Would
) -> Question:  # fmt: skip
    """The same question, with what the request asks for by itself as its last option."""
    if every is None or question.reason == "everything":
        return question
    made = build(every, ask)
    name = message("every-memory", ask.utterance, count=ask.total)
    choice = Choice(name, made.instances, would(made.instances))
    return replace(question, options=(*question.options, choice))


def of_problem(problem: Diagnostic, draft: Draft, built: Built, ask: Ask) -> Question:
    """What to ask where a value cannot be computed."""
    name, reason = _PROBLEMS.get(problem.code, ("not-expressible", "not-expressible"))
    _, _, number, key = problem.pointer.split("/", 3)
    step = draft.steps[int(number)]
    words = step.words("about") if key == "which" else step.words(key) or step.words("about")
    shown = built.links[int(number)].records[:_SHOWN]
    meant = _meant(ask, step, shown, several=True)
    if name == "nothing-found" and not words:
        return Question(meant, "ambiguous-target", (), candidates(shown))
    text = message(name, ask.utterance, words=words, ask=meant)
    return Question(text, reason, (), candidates(shown))
