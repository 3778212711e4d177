"""The planner: an utterance, its context and a view of the store in, raw instances out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from functools import cache
from typing import Any

from text2mem.errors import MalformedOutput
from text2mem.ir.diagnostic import Diagnostic, render
from text2mem.ir.grammar import to_gbnf
from text2mem.ir.ports import Embedder, Preview, StoreView
from text2mem.ir.surface import STAGES
from text2mem.ir.temporal import format_instant
from text2mem.ir.turn import Turn
from text2mem.planner.aids import Aids
from text2mem.planner.asking import Question
from text2mem.planner.lowering import (
    Lowered,
    lower_form,
    lower_instance,
    lower_program,
    lower_verbs,
)
from text2mem.planner.requests import Step, read_steps
from text2mem.planner.slots import Form, form
from text2mem.planner.steps import Steps
from text2mem.planner.writing import Writing, write
from text2mem.prompts import load
from text2mem.providers.base import Completion, Message, Request, Sampling
from text2mem.providers.profiles import Profile

_REQUEST = "Request: "
_MOST_STEPS = 6


@dataclass(frozen=True, slots=True)
class Ask:
    """What is to be planned. ``context`` are earlier turns, ``tags`` those that the store holds.

    ``store``, ``preview`` and ``embedder`` let the planner look at the store, try drafts on it and
    search it by meaning; each is optional.
    """

    utterance: str
    now: datetime
    context: tuple[Turn, ...] = ()
    tags: tuple[str, ...] = ()
    store: StoreView | None = None
    preview: Preview | None = None
    embedder: Embedder | None = None
    aids: Aids = field(default_factory=Aids)
    tz: tzinfo = UTC


@dataclass(slots=True)
class Part:
    """A piece of a draft that is redrafted as one: what was asked, and what came of it.

    ``instances`` may hold a relative reference ``"$-1"``: the instance just before. ``question``
    stands in place of all of them; ``spare`` is the form of an op that code could write alone, for
    when what it wrote is refused.
    """

    op: str
    lowered: Lowered
    turns: tuple[Message, ...]
    year: str
    instances: list[Any] = field(default_factory=list)
    answer: str = ""
    data: Any = None
    form: Form | None = None
    question: Question | None = None
    spare: Form | None = None

    @property
    def asked(self) -> bool:
        """Whether a model wrote any of it."""
        return self.form is None or self.form.asks


@dataclass(frozen=True, slots=True)
class Planner:
    """Plans with one model's profile. ``sampling`` bounds every single answer."""

    profile: Profile
    sampling: Sampling = field(default_factory=Sampling)
    deadline: float = 120.0

    def draft(self, ask: Ask) -> Steps[list[Part]]:
        """The first draft, in the parts in which it can be redrafted."""
        if self.profile.planning == "staged":
            return (yield from self._staged(ask))
        return (yield from self._whole(ask))

    def redraft(self, part: Part, diagnostics: Sequence[Diagnostic]) -> Steps[Part]:
        """The part once more, with what was wrong with it.

        Slots that no diagnostic is about keep their values, so that a small model mends one thing
        without spoiling another, and a diagnostic names the slot that it is about.
        """
        if part.form is not None and not part.form.asks and part.spare is not None:
            part = replace(part, form=part.spare, lowered=lower_form(part.spare), data=None)
        lowered, turns = part.lowered, part.turns
        if self.profile.echo_answer:
            turns = (*turns, Message("assistant", part.answer))
        if part.form is not None:
            blamed = [(d, part.form.blamed(_within(d.pointer))) for d in diagnostics]
            named = {key for _, keys in blamed for key in keys}
            if named and isinstance(part.data, dict):
                keep = {key: value for key, value in part.data.items() if key not in named}
                codes = {key: d.code for d, keys in blamed for key in keys}
                lowered = lower_form(part.form.narrowed(codes), keep)
            diagnostics = [replace(d, pointer=", ".join(keys) or d.pointer) for d, keys in blamed]
        complaint = load("repair").filled(
            op=part.op, diagnostics=render(diagnostics), year=part.year
        )
        answer = yield self._request((*turns, *complaint), lowered)
        return self._filled(part, answer)

    # --- the two shapes of work ------------------------------------------------------------

    def _whole(self, ask: Ask) -> Steps[list[Part]]:
        lowered = lower_program(strict=self.profile.constraint == "strict")
        said = f"Now: {format_instant(ask.now)}\n{_store(ask)}{_said(ask)}"
        part = Part(
            "program", lowered, (*load("whole").turns, Message("user", said)), f"{ask.now:%Y}"
        )
        answer = yield self._request(part.turns, lowered)
        whole = self._filled(part, answer)
        # Repair redrafts one instance, under the schema of its op alone.
        return [
            replace(whole, op=op, lowered=self._one(op), instances=[item]) if op else whole
            for op, item in _by_op(whole)
        ]

    def _one(self, op: str) -> Lowered:
        return lower_instance(op, strict=self.profile.constraint == "strict")

    def _staged(self, ask: Ask) -> Steps[list[Part]]:
        opening = (*_examples(ask.aids.examples), Message("user", _said(ask)))
        if not ask.aids.evidence:
            verbs = yield from self._verbs(opening, lower_verbs())
            parts = []
            for op in verbs:
                parts.append((yield from self._asked(op, ask, opening, None)))
            return parts
        steps = read_steps(ask.utterance, ask.context, now=ask.now, tz=ask.tz)
        parts = []
        for step in steps:
            for op in (yield from self._ops(step, ask, opening, alone=len(steps) == 1)):
                writing = write(op, step, ask, len(parts))
                parts.append((yield from self._asked(op, ask, opening, writing)))
        return parts

    def _ops(
        self, step: Step, ask: Ask, opening: tuple[Message, ...], *, alone: bool
    ) -> Steps[list[str]]:
        """What a step asks for: its head says it, or the model chooses among what it can mean."""
        ops = step.head.ops or (step.earlier.head.ops if step.earlier else ())
        if len(ops) == 1:
            return list(ops)
        if not alone:
            opening = (*opening[:-1], Message("user", f"{_REQUEST}{step.words}"))
        most = 1 if ops or not alone else _MOST_STEPS
        return (yield from self._verbs(opening, lower_verbs(ops or None, most)))

    def _verbs(self, opening: tuple[Message, ...], lowered: Lowered) -> Steps[list[str]]:
        return _restored(lowered, (yield self._request(opening, lowered)))

    def _asked(
        self, op: str, ask: Ask, opening: tuple[Message, ...], writing: Writing | None
    ) -> Steps[Part]:
        """The part of one op: what code could not write is asked of the model."""
        spare = asked = form(op, ask.utterance, ask.tags if ask.aids.grounding else ())
        if writing is not None:
            asked = writing.left_open(spare)
        lowered = lower_form(asked)
        chosen = Message("assistant", f'{{"verbs": ["{op}"]}}')
        shown = _store(ask) if asked.names_tags and ask.aids.grounding else ""
        if writing is not None:
            shown += _held(writing)
        question = Message("user", f"{shown}Fields of {op}")
        part = Part(op, lowered, (*opening, chosen, question), f"{ask.now:%Y}", form=asked, spare=spare)
        if writing is None:
            return self._filled(part, (yield self._request(part.turns, lowered)))
        part = replace(part, question=writing.question)
        if writing.question is None and not asked.asks:
            return replace(part, instances=lowered.restore({}), data={})
        if writing.question is not None:
            return part
        part = self._filled(part, (yield self._request(part.turns, lowered)))
        return replace(part, question=writing.doubt(part.instances))

    def _request(self, turns: Sequence[Message], lowered: Lowered) -> Request:
        grammar = None
        if self.profile.constraint == "grammar" and self.profile.planning == "whole":
            grammar = _gbnf(json.dumps(lowered.schema))
        sampling = replace(
            self.sampling, max_tokens=min(self.sampling.max_tokens, self.profile.max_output)
        )
        return Request(tuple(turns), lowered.schema, grammar, sampling, self.deadline)

    def _filled(self, part: Part, answer: Completion) -> Part:
        instances = _restored(part.lowered, answer)
        return replace(part, instances=instances, answer=answer.text, data=answer.data)


@cache
def _gbnf(schema: str) -> str:
    """The grammar of a schema, given as JSON; whole planning has one for each op, and one more."""
    return to_gbnf(json.loads(schema))


@cache
def _examples(worked: bool) -> tuple[Message, ...]:
    """The fixed turns of staged planning: a prefix that the prompt cache can reuse."""
    turns = load("staged").turns
    return turns if worked else turns[:1]


def _within(pointer: str) -> str:
    """A pointer into a program as one into its instance."""
    return "/" + pointer.partition("/")[2].partition("/")[2]


def _by_op(whole: Part) -> list[tuple[str, Any]]:
    """The instances with their ops; a program with a stranger among them, or with nothing in it,
    stays in one piece."""
    found = [(item.get("op") if isinstance(item, dict) else None, item) for item in whole.instances]
    if not found or any(not isinstance(op, str) or op not in STAGES for op, _ in found):
        return [("", None)]
    return [(str(op), item) for op, item in found]


def assembled(parts: Sequence[Part]) -> tuple[list[Any], list[int]]:
    """The program that the parts make, and for each of its instances the index of its part."""
    program: list[Any] = []
    origin: list[int] = []
    for index, part in enumerate(parts):
        for instance in part.instances:
            program.append(_absolute(instance, len(program)))
            origin.append(index)
    return program, origin


def _absolute(instance: Any, before: int) -> Any:
    """Relative references ("$-1") as absolute ones, for an instance with ``before`` ahead of it.

    Only where ids stand: a text that reads "$-1" is a text.
    """
    if not isinstance(instance, dict):
        return instance
    previous = f"${before}"
    out = dict(instance)
    target, args = out.get("target"), out.get("args")
    if isinstance(target, dict) and isinstance(target.get("ids"), list):
        out["target"] = {**target, "ids": [previous if i == "$-1" else i for i in target["ids"]]}
    if isinstance(args, dict) and args.get("primary_id") == "$-1":
        out["args"] = {**args, "primary_id": previous}
    return out


def _restored(lowered: Lowered, answer: Completion) -> list[Any]:
    """What an answer says, or the error that it has not the shape that was asked for."""
    try:
        return lowered.restore(answer.data)
    except (LookupError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise MalformedOutput(
            f"the answer does not have the shape that was asked for: {error!r}",
            raw=answer.text, model=answer.model,
        ) from error  # fmt: skip


def _said(ask: Ask) -> str:
    # One line a turn: a turn of several lines could pass for the request.
    earlier = "".join(f"Earlier: {' '.join(turn.text.split())}\n" for turn in ask.context)
    return f"{earlier}{_REQUEST}{ask.utterance}"


def _store(ask: Ask) -> str:
    shown = ask.tags if ask.aids.grounding else ()
    return _marked("Tags in use", shown) if shown else ""


def _held(writing: Writing) -> str:
    """The memories that a text is about to be written for."""
    return _marked("It says now", [row.text for row in writing.shown]) if writing.shown else ""


def _marked(name: str, data: Sequence[str]) -> str:
    """Stored data in a block of its own, that no stored text can end."""
    held = json.dumps(list(data), ensure_ascii=False)
    held = held.replace("<", "\\u003c").replace(">", "\\u003e")
    return f"<store>\n{name}: {held}\n</store>\n"
