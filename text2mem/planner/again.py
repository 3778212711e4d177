"""Again: what a tuned model is asked besides the draft, each by a prompt of its own.

It reads a request without the store and takes the sound of a wish for the wish. So what hides
memories is read a second time in another form, an Update is read with its memory in view, and what
is said after a wish is read by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from text2mem.errors import ContextOverflow, ModelOutputError
from text2mem.ir.ops import READS
from text2mem.ir.record import Record
from text2mem.ir.segment import query_terms
from text2mem.ir.turn import Turn
from text2mem.planner import guard
from text2mem.planner.again_limits import CHOSEN, EDITED_WELL, MEANT
from text2mem.planner.ask import Ask
from text2mem.planner.build import Built, Revised
from text2mem.planner.draft import Draft, Step, read_draft
from text2mem.planner.edit import Revision
from text2mem.planner.link import Link
from text2mem.planner.link_weights import SURE
from text2mem.planner.rank import Fit
from text2mem.planner.reader import (
    agreement,
    certainty,
    first,
    meant_prompt,
    restored,
    second,
    second_prompt,
    tuned_prompt,
)
from text2mem.planner.revise import revisable, revise, revised_prompt, revision
from text2mem.planner.steps import Steps
from text2mem.planner.trace import Trace
from text2mem.providers.base import Completion, Request, Sampling
from text2mem.providers.profiles import Profile

_CLOSE = 0.25
"""From which share of the best one's probability on a memory is looked at."""
_BETWEEN = " \t\n.,;:!?-–—…。，；：！？、"


@dataclass(frozen=True, slots=True)
class Again:
    """What further readings say of a draft: how certain it is that each step is asked for, how the
    memories of its Updates read afterwards, and which one of those that may be meant it changes."""

    certain: Sequence[float] = ()
    revised: Revised = field(default_factory=dict)
    chosen: Mapping[int, Sequence[Record]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reader:
    """A tuned model, asked again about one request."""

    profile: Profile
    sampling: Sampling
    trace: Trace

    def again(self, answer: Completion, built: Built, ask: Ask, own: Ask) -> Steps[Again]:
        """The further readings of a draft that was built; ``own`` is the request without texts
        that it brings along, which is what was read."""
        agreed = yield from self._agreed(built, own)
        sure = certainty(answer)
        certain = [sure * each for each in agreed]
        revised: dict[tuple[int, str], Revision] = {}
        if own is not ask:
            return Again(certain, revised)
        chosen: dict[int, Sequence[Record]] = {}
        for number, (step, link) in enumerate(zip(built.steps, built.links, strict=True)):
            changed = []
            for record in revisable(step, link) if EDITED_WELL < 1 else ():
                if any(record.id == id_ for _, id_ in revised):
                    # One reading holds every change of a memory.
                    revised[number, record.id] = Revision(record.text)
                    continue
                found = yield from self._revision(record, ask)
                if found is not None and found.edits and found.certainty >= EDITED_WELL:
                    revised[number, record.id] = found
                    changed.append((record, found.certainty))
            if len(changed) == 1 and changed[0][1] >= CHOSEN and _doubtful(link):
                chosen[number] = [changed[0][0]]
            elif step.op != "Update" and MEANT < 1:
                meant = yield from self._meant(step, link, ask)
                if meant:
                    chosen[number] = meant
        return Again(certain, revised, chosen)

    def takes_back(self, built: Built, ask: Ask) -> Steps[bool]:
        """Whether what is said after the last thing that is to go or be hidden takes it back.

        A small reader may miss that in the same breath; as a turn after the wish it reads it well.
        """
        rest = _rest(built, ask)
        if rest is None:
            return False
        prompt = tuned_prompt(rest.utterance, rest.before)
        answer = yield from self._ask(first(prompt, self.profile, self.sampling))
        draft = read_draft(restored(answer.data)) if answer is not None else None
        return isinstance(draft, Draft) and draft.undo

    def _agreed(self, built: Built, ask: Ask) -> Steps[Sequence[float]]:
        """How far a second reading of the steps that hide memories agrees with each step."""
        agreed: dict[str, float] = {}
        hiding = [
            step.op
            for step, link in zip(built.steps, built.links, strict=True)
            if guard.hides(step) and not link.missing
        ]
        for op in dict.fromkeys(hiding):
            prompt = second_prompt(ask.utterance, ask.before, op, ask.once)
            answer = yield from self._ask(second(prompt, self.profile, self.sampling))
            agreed[op] = agreement(answer) if answer is not None else 0.0
        return [agreed.get(step.op, 1.0) for step in built.steps]

    def _meant(self, step: Step, link: Link, ask: Ask) -> Steps[Sequence[Record]]:
        """Which of the likeliest memories a step means, where its words do not tell them apart: all
        of them that a question is answered by, of others the one."""
        found = []
        for fit in _contested(step, link):
            prompt = meant_prompt(fit.record.text, ask.utterance, ask.before, step.op, ask.once)
            answer = yield from self._ask(second(prompt, self.profile, self.sampling))
            if answer is not None and agreement(answer) >= MEANT:
                found.append(fit.record)
        return found if step.op in READS or len(found) == 1 else ()

    def _revision(self, record: Record, ask: Ask) -> Steps[Revision | None]:
        prompt = revised_prompt(record.text, ask.utterance, ask.before)
        answer = yield from self._ask(revise(prompt, self.profile, self.sampling))
        return revision(record.text, answer, ask.said) if answer is not None else None

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


def _contested(step: Step, link: Link) -> Sequence[Fit]:
    """The memories that a step may mean by its words, where there is more than one, or a doubt."""
    if not link.fits:
        return ()
    best = link.fits[0].probability
    close = [fit for fit in link.fits if fit.probability >= _CLOSE * best]
    return close if len(close) > 1 or _doubtful(link) else ()


def _doubtful(link: Link) -> bool:
    """Whether it is not certain which memory is meant."""
    return bool(link.rivals or link.missing or link.certainty < SURE)


def _rest(built: Built, ask: Ask) -> Ask | None:
    """What is said after the last thing that is to go or be hidden."""
    said = ask.utterance.casefold()
    ends = [
        said.find(words) + len(words)
        for step in built.steps
        if guard.hides(step) and (words := step.words("about").casefold()) in said
    ]
    if not ends:
        return None
    end = _unfolded(ask.utterance, max(ends))
    head, rest = ask.utterance[:end], ask.utterance[end:].lstrip(_BETWEEN)
    if not query_terms(rest):
        return None
    return replace(ask, utterance=rest, context=(Turn(head),))


def _unfolded(text: str, end: int) -> int:
    """How many characters of a text its first ``end`` ones without case are: ß becomes two."""
    folded = accumulate(len(each.casefold()) for each in text)
    return sum(1 for width in folded if width <= end)
