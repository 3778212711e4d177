"""What a conversation teaches: what a request turned out to mean that was not understood.

No words decide that, but what was done: a request whose question was answered, or which was taken
back, and one that came to nothing, each followed by one that did something to the same memories.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from text2mem.experience.episode import Episode, in_words_of
from text2mem.ir.effects import changes, touched
from text2mem.ir.segment import query_terms
from text2mem.planner.pasted import set_apart

if TYPE_CHECKING:
    from text2mem.conversation.reply import Reply
    from text2mem.experience import Bank
    from text2mem.planner.draft import Draft
    from text2mem.program import Program


@dataclass(frozen=True, slots=True)
class Unsettled:
    """The last request that may have been misread: how it was, and which memories that concerned.

    ``done`` where it has run and was not taken back (yet); ``unclear`` where the planner asked.
    """

    request: str
    draft: Draft | None = None
    ids: tuple[str, ...] = ()
    trace_id: str = ""
    done: bool = False
    unclear: bool = False


def learnt(bank: Bank, last: Unsettled | None, reply: Reply) -> Unsettled | None:
    """Keeps what a reply teaches after ``last``; what is unsettled after it."""
    draft = reply.trace.draft if reply.trace is not None else None
    if reply.status == "asked":
        assert reply.question is not None
        if last is not None and not last.done and last.request != reply.request:
            return last  # a correction that is asked about itself: it is not settled yet
        unclear = reply.question.asked is not None
        ids = (*reply.question.ids, *_named(draft))
        return Unsettled(reply.question.request, draft, ids, unclear=unclear)
    if reply.status == "undone" and last is not None and last.trace_id == reply.undid:
        return Unsettled(last.request, last.draft, last.ids)
    if reply.status == "nothing":
        return Unsettled(reply.request, draft)
    if reply.status != "done" or reply.result is None or draft is None:
        return last if reply.status == "dropped" else None
    ids = touched(reply.result)
    found = None
    tried = reply.result.dry_run and changes(reply.result)
    if last is not None and not last.done and not tried:
        found = _episode(last, reply, draft, ids)
    if found is not None:
        bank.keep(found)
    return Unsettled(reply.request, draft, ids, reply.result.trace_id, done=True)


def _named(draft: Draft | None) -> tuple[str, ...]:
    """The memories that a reader named by their ids."""
    steps = draft.steps if draft is not None else ()
    return tuple(id_ for step in steps for id_ in step.listed("ids"))


def _episode(last: Unsettled, reply: Reply, draft: Draft, ids: tuple[str, ...]) -> Episode | None:
    """What a request meant, now that something was done; None where that is another matter, or
    where either brought a text along."""
    assert reply.result is not None
    if set_apart(last.request) is not None or set_apart(reply.request) is not None:
        return None
    chosen = last.request == reply.request
    if chosen and not last.unclear:
        return None  # a yes to what was read at once
    if chosen and _keeps_instead(draft, reply.program):
        return None  # what was chosen is no reading of the draft
    if not chosen:
        about = query_terms(" ".join(draft.words()))
        if not {*last.ids} & {*ids} and not {*query_terms(last.request)} & {*about}:
            return None  # another matter
        draft = in_words_of(last.request, draft, last.draft)
    return Episode(
        request=last.request, draft=draft, outcome="chosen" if chosen else "corrected",
        told="" if chosen else reply.request, trace_id=reply.result.trace_id, rests_on=ids,
    )  # fmt: skip


def _keeps_instead(draft: Draft, program: Program | None) -> bool:
    """Whether a program only keeps something new, and the draft does not."""
    done = {op.name for op in program.ops} if program is not None else set()
    return done == {"Encode"} and all(step.op != "Encode" for step in draft.steps)
