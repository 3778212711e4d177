"""Again: what a tuned model is asked besides the draft.

It may take the sound of a wish for the wish. So what hides memories is read a second time in
another form. It may take thanks for what was done for a wish to have it undone, or done again. So
what changes something is read a second time without the turns before. And it may ask about what
the store leaves no doubt of. So where it asks back, it has to say what it would do as well, and
that is judged like any other draft. And after a turn about one memory it may take "delete
everything", and "what do I have?", for that one. So what hides or shows memories that only the
turns before name is read without them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from text2mem.errors import ContextOverflow, ModelOutputError
from text2mem.ir.ops import READS
from text2mem.ir.words.segment import index_terms, query_terms
from text2mem.planner import guard
from text2mem.planner.alone_weights import IDLE
from text2mem.planner.ask import Ask
from text2mem.planner.build import Built
from text2mem.planner.draft import Draft, Step, read_draft
from text2mem.planner.picture import View
from text2mem.planner.reader import (
    agreement,
    asking,
    beginning_of,
    idle,
    named,
    restored,
    second,
    second_prompt,
    undone,
)
from text2mem.planner.steps import Steps
from text2mem.planner.trace import Trace
from text2mem.planner.trust import undoes
from text2mem.providers.base import Completion, Request, Sampling
from text2mem.providers.profiles import Profile


@dataclass(frozen=True, slots=True)
class Reading:
    """A draft with the answer that it was read from. ``wider`` is what may be meant in its place,
    without the turns before; ``remark``: beside them it was a change, and by itself nothing."""

    draft: Draft
    answer: Completion
    wider: Draft | None = None
    remark: bool = False


@dataclass(frozen=True, slots=True)
class Reader:
    """A tuned model, asked again about one request."""

    profile: Profile
    sampling: Sampling
    trace: Trace
    view: View | None

    def certain(
        self, answer: Completion, built: Built, ask: Ask
    ) -> Steps[Sequence[tuple[float, float]]]:
        """How certain it is that each step is asked for, by either reading; a step that hides
        nothing is read once."""
        agreed: dict[str, float] = {}
        hiding = [
            step.op
            for step, link in zip(built.steps, built.links, strict=True)
            if guard.hides(step) and not link.missing
        ]
        for op in dict.fromkeys(hiding):
            prompt = second_prompt(self.view, ask.utterance, ask.turns, op, ask.once)
            told = yield from self._ask(second(prompt, self.profile, self.sampling))
            agreed[op] = agreement(told) if told is not None else 0.0
        return [(self.trace.sure, agreed.get(step.op, 1.0)) for step in built.steps]

    def beside(
        self, draft: Draft, answer: Completion, ask: Ask, everything: Callable[[Draft], bool]
    ) -> Steps[Reading]:
        """What comes of a draft that was read beside the turns before; ``everything`` tells whether
        a draft means every memory there is."""
        if not ask.turns:
            return Reading(draft, answer)
        stands = yield from self._stands(draft, answer, ask)
        found = yield from self._alone(draft, ask)
        wider = found if found is not None and everything(found.draft) else None
        if wider is not None and all(step.op in READS for step in draft.steps):
            return wider
        if stands:
            return Reading(draft, answer, wider.draft if wider is not None else None)
        if wider is None and everything(draft):
            wider = Reading(draft, answer)
        return wider or Reading(Draft(), answer, remark=True)

    def _stands(self, draft: Draft, answer: Completion, ask: Ask) -> Steps[bool]:
        """Whether what it reads beside the turns before is asked for by the utterance itself."""
        if not draft.changes:
            return True
        bare = self.view, ask.utterance, self.profile, self.sampling, ask.once
        alone = yield from self._ask(beginning_of(*bare))
        if alone is None:
            return True
        return undoes(undone(answer), undone(alone)) if draft.undo else idle(alone) < IDLE

    def _alone(self, draft: Draft, ask: Ask) -> Steps[Reading | None]:
        """What it would do without the turns before, where it hides or shows what only these name;
        None elsewhere, and where that is no draft."""
        if not any(_leans(step, self.view, ask.utterance) for step in draft.steps):
            return None
        answer = yield from self.instead(replace(ask, context=()))
        if answer is None:
            return None
        read = read_draft(named(restored(answer.data), self.view))
        return Reading(read, answer) if isinstance(read, Draft) else None

    def instead(self, ask: Ask) -> Steps[Completion | None]:
        """What it would do, where it has asked back; None where that is no answer."""
        asked = ask.utterance, ask.turns, self.profile, self.sampling, ask.once
        return (yield from self._ask(asking(self.view, *asked, steps=True)))

    def _ask(self, request: Request) -> Steps[Completion | None]:
        """The answer; None where it is none."""
        try:
            answer = yield request
        except ContextOverflow:
            raise
        except ModelOutputError:
            return None
        self.trace.answered(request, answer)
        return answer


def _leans(step: Step, view: View | None, utterance: str) -> bool:
    """Whether a step hides or shows memories that the words of an utterance are not about."""
    if not (guard.hides(step) or step.op in READS):
        return False
    texts = view.texts if view is not None else {}
    picked = [texts[id_] for id_ in step.listed("ids") if id_ in texts]
    named = picked or step.words("which") == "earlier"
    return bool(named) and {*query_terms(utterance)}.isdisjoint(index_terms(" ".join(picked)))
