"""The planner: an utterance, its context and a view of the store in, raw instances out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache

from text2mem.ir.diagnostic import Diagnostic, render
from text2mem.ir.grammar import to_gbnf
from text2mem.ir.ops import READS
from text2mem.ir.temporal import format_instant
from text2mem.planner import shown
from text2mem.planner.ask import Ask
from text2mem.planner.constraint import constrained, names_none, without_none
from text2mem.planner.lowering import (
    Lowered,
    lower_form,
    lower_instance,
    lower_program,
    lower_verbs,
)
from text2mem.planner.parts import Part, by_op, restored, within
from text2mem.planner.questions import nothing_named
from text2mem.planner.requests import Step
from text2mem.planner.slots import Form, form
from text2mem.planner.steps import Steps
from text2mem.planner.writing import Writing, write
from text2mem.prompts import load
from text2mem.providers.base import Completion, Message, Request, Sampling
from text2mem.providers.profiles import Profile

_REQUEST = "Request: "
_MOST_STEPS = 6


@dataclass(frozen=True, slots=True)
class Planner:
    """Plans with one model's profile. ``sampling`` bounds every single answer."""

    profile: Profile
    sampling: Sampling = field(default_factory=Sampling)
    deadline: float = 120.0

    def draft(self, ask: Ask) -> Steps[list[Part]]:
        """The first draft, in the parts in which it can be redrafted."""
        if self.profile.planning == "staged" and ask.aids.staging:
            return (yield from self._staged(ask))
        return (yield from self._whole(ask))

    def redraft(self, part: Part, diagnostics: Sequence[Diagnostic]) -> Steps[Part]:
        """The part once more, with what was wrong with it.

        Slots that no diagnostic is about keep their values, so that a small model mends one thing
        without spoiling another, and a diagnostic names the slot that it is about.
        """
        if part.form is not None and not part.form.asks and part.spare is not None:
            spare = part.spare()
            part = replace(part, form=spare, lowered=lower_form(spare), data=None)
        lowered, turns = part.lowered, part.turns
        if self.profile.echo_answer:
            turns = (*turns, Message("assistant", part.answer))
        if part.form is not None:
            blamed = [(d, part.form.blamed(within(d.pointer))) for d in diagnostics]
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
        lowered = self._constrained(lower_program(strict=self._strict), ask)
        picture = shown.picture_of(ask.picture) if ask.picture else ""
        said = f"Now: {format_instant(ask.now)}\n{picture}{_said(ask)}"
        turns = load("whole").turns if ask.aids.examples else load("whole").turns[:1]
        part = Part("program", lowered, (*turns, Message("user", said)), f"{ask.now:%Y}")
        answer = yield self._request(part.turns, lowered)
        whole = self._filled(part, answer)
        # Repair redrafts one instance, under the schema of its op alone.
        return [
            _settled(replace(whole, op=op, lowered=self._one(op, ask), instances=[item]), ask)
            if op
            else whole
            for op, item in by_op(whole)
        ]

    def _one(self, op: str, ask: Ask) -> Lowered:
        return self._constrained(lower_instance(op, strict=self._strict), ask)

    def _constrained(self, lowered: Lowered, ask: Ask) -> Lowered:
        """With selectors that can name only what the store holds, where the store is known.

        A schema that no decoder enforces is told in the prompt, where nothing stored may stand.
        """
        told = self.profile.constraint == "json_object"
        if ask.picture is None or not ask.aids.constraint or told:
            return lowered
        named = [m.value for step in ask.steps for m in step.of("id")] if ask.aids.evidence else []
        ids = [*named, *(each.id for each in ask.picture.candidates)]
        ids += [id_ for turn in ask.context for id_ in turn.ids]
        return constrained(lowered, ask.picture, ids)

    @property
    def _strict(self) -> bool:
        return self.profile.constraint == "strict"

    def _staged(self, ask: Ask) -> Steps[list[Part]]:
        opening = (*_examples(ask.aids.examples), Message("user", _said(ask)))
        if not ask.aids.evidence:
            verbs = yield from self._verbs(opening, lower_verbs())
            parts = []
            for op in verbs:
                parts.append((yield from self._asked(op, ask, opening, None)))
            return parts
        parts = []
        for step in ask.steps:
            alone = len(ask.steps) == 1
            for op in (yield from self._ops(step, ask, opening, alone=alone)):
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
        return restored(lowered, (yield self._request(opening, lowered)))

    def _asked(
        self, op: str, ask: Ask, opening: tuple[Message, ...], writing: Writing | None
    ) -> Steps[Part]:
        """The part of one op: what code could not write is asked of the model."""
        whole = form(op, ask.utterance)
        asked = _known(whole if writing is None else writing.left_open(whole), ask)
        lowered = lower_form(asked)
        chosen = Message("assistant", f'{{"verbs": ["{op}"]}}')
        data = shown.tags_in_use(ask.tags) if asked.names_tags and ask.aids.grounding else ""
        if writing is not None:
            data += shown.memories(writing.shown)
        question = Message("user", f"{data}Fields of {op}")
        part = Part(
            op, lowered, (*opening, chosen, question), f"{ask.now:%Y}",
            form=asked, spare=lambda: _known(whole, ask),
        )  # fmt: skip
        if writing is None:
            return self._filled(part, (yield self._request(part.turns, lowered)))
        part = replace(part, question=writing.question, absent=writing.absent, doubt=writing.doubt)
        if writing.question is not None:
            return part
        if not asked.asks:
            return replace(part, instances=lowered.restore({}), data={})
        return self._filled(part, (yield self._request(part.turns, lowered)))

    def _request(self, turns: Sequence[Message], lowered: Lowered) -> Request:
        grammar = None
        if self.profile.constraint == "grammar" and self.profile.planning == "whole":
            grammar = _gbnf(json.dumps(lowered.schema))
        sampling = replace(
            self.sampling, max_tokens=min(self.sampling.max_tokens, self.profile.max_output)
        )
        return Request(tuple(turns), lowered.schema, grammar, sampling, self.deadline)

    def _filled(self, part: Part, answer: Completion) -> Part:
        instances = restored(part.lowered, answer)
        question = part.doubt(instances) if part.doubt else None
        return replace(
            part, instances=instances, answer=answer.text, data=answer.data, question=question
        )


@lru_cache(maxsize=64)
def _gbnf(schema: str) -> str:
    """The grammar of a schema, given as JSON. Those that name what a store holds come and go."""
    return to_gbnf(json.loads(schema))


@cache
def _examples(worked: bool) -> tuple[Message, ...]:
    """The fixed turns of staged planning: a prefix that the prompt cache can reuse."""
    turns = load("staged").turns
    return turns if worked else turns[:1]


def _known(asked: Form, ask: Ask) -> Form:
    """The form; where it asks for tags, only those that the store holds can be answered."""
    if asked.names_tags and ask.aids.grounding and ask.aids.constraint:
        return asked.limited(ask.tags)
    return asked


def _settled(part: Part, ask: Ask) -> Part:
    """The part; a question where it says that the store holds nothing of what is asked for."""
    instance = part.instances[0]
    if not names_none(instance):
        return replace(part, instances=[without_none(instance)])
    if part.op in READS:
        searched = {"search": {"intent": {"query": ask.utterance}}}
        return replace(part, instances=[{**instance, "target": searched}], absent=ask.utterance)
    return replace(part, question=nothing_named(ask.utterance, ask.picture))


def _said(ask: Ask) -> str:
    # One line a turn: a turn of several lines could pass for the request.
    earlier = "".join(f"Earlier: {' '.join(turn.text.split())}\n" for turn in ask.context)
    return f"{earlier}{_REQUEST}{ask.utterance}"
