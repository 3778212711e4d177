"""Again: what a tuned model is asked besides the draft.

It may take the sound of a wish for the wish. So what hides memories is read a second time in
another form. It may take thanks for what was done for a wish to have it undone, or done again. So
what changes something is read a second time without the turns before. And it may ask about what
the store leaves no doubt of. So where it asks back, it has to say what it would do as well, and
that is judged like any other draft.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from text2mem.errors import ContextOverflow, ModelOutputError
from text2mem.planner import guard
from text2mem.planner.alone_weights import IDLE
from text2mem.planner.ask import Ask
from text2mem.planner.build import Built
from text2mem.planner.draft import Draft
from text2mem.planner.picture import View
from text2mem.planner.reader import (
    agreement,
    asking,
    beginning_of,
    idle,
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

    def stands(self, draft: Draft, answer: Completion, ask: Ask) -> Steps[bool]:
        """Whether what it reads beside the turns before is asked for by the utterance itself."""
        if not (draft.changes and ask.turns):
            return True
        bare = self.view, ask.utterance, self.profile, self.sampling, ask.once
        alone = yield from self._ask(beginning_of(*bare))
        if alone is None:
            return True
        return undoes(undone(answer), undone(alone)) if draft.undo else idle(alone) < IDLE

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
