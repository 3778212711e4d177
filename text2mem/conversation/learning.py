"""Learn from a conversation what a request meant that was misread at first.

A request may have been misread if the planner asked about it, if it was undone, if it came to
nothing, or if it was read as a question without certainty. The next request that is carried out
then shows what it meant, if it concerns the same memories. A read cannot be undone: the reader's
certainty, and whether it named a memory by its id, stand in for that.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from text2mem.errors import Text2MemError
from text2mem.executor.resting import erase_resting, still_there
from text2mem.experience.episode import Episode, in_words_of
from text2mem.ir.effects import changes, touched
from text2mem.ir.words.segment import query_terms
from text2mem.planner.pasted import set_apart

if TYPE_CHECKING:
    from text2mem.conversation.reply import Reply
    from text2mem.experience import Bank
    from text2mem.ir.ports import StoreView
    from text2mem.memory import Memory
    from text2mem.planner.draft import Draft
    from text2mem.planner.trace import Trace
    from text2mem.program import Program

_log = logging.getLogger("text2mem")
Read = Literal["unsurely", "blindly", "well"]
"""How a read was read: not surely, without naming a memory by its id, or neither."""
_SURE = 0.97
"""A read below this probability counts as uncertain. Of 11 ordinary questions in two languages the
lowest was .994; of five requests wrongly taken for reads the highest was .94
(docs/bench/experience.md)."""


@dataclass(frozen=True, slots=True)
class Unsettled:
    """The last request that may have been misread."""

    request: str
    draft: Draft | None = None
    """How it was read."""
    ids: tuple[str, ...] = ()
    trace_id: str = ""
    """That of its program, if it has run."""
    done: bool = False
    """Whether it has run and was not undone."""
    read: Read | None = None
    """How it was read, if it only reads; None if it changed something or has not run."""
    unclear: bool = False
    """Whether the planner asked about it."""

    def may_mean(self, draft: Draft, ids: Iterable[str]) -> bool:
        """Whether a later draft, carried out on the memories ``ids``, may be what was meant: always
        if the request was not carried out, never if it changed something.

        After a read it must concern one of the memories that were read. A draft that changes
        something then counts if the read was uncertain; one that reads, if it reads the same
        memories, or if the first read was certain and named none.
        """
        if not self.done:
            return True
        before, now = {*self.ids}, {*ids}
        if self.read is None or not before & now:
            return False
        if not draft.changes:
            return self.read == "blindly" or before == now
        return self.read == "unsurely"


def learn(
    bank: Bank, last: Unsettled | None, reply: Reply, memory: Memory
) -> Unsettled | None:  # fmt: skip
    """Keep in the bank what a reply teaches about ``last``, the request before it that may have
    been misread. Return the request that may have been misread now; None if there is none. An
    error of the bank is logged."""
    draft = reply.trace.draft if reply.trace is not None else None
    if reply.status == "asked":
        assert reply.question is not None
        if last is not None and not last.done and last.request != reply.request:
            return last  # the planner asks about the correction: what ``last`` meant is still open
        unclear = reply.question.clarification is not None
        ids = (*reply.question.ids, *_named(draft))
        return Unsettled(reply.question.request, draft, ids, unclear=unclear)
    if reply.status == "undone" and last is not None and last.trace_id == reply.undid:
        return Unsettled(last.request, last.draft, last.ids)
    if reply.status == "nothing":
        return Unsettled(reply.request, draft)
    if reply.status != "done" or reply.result is None or draft is None:
        return last if reply.status == "dropped" else None
    ids = touched(reply.result)
    tried = reply.result.dry_run and changes(reply.result)
    if last is not None and last.may_mean(draft, ids) and not tried:
        try:
            episode = _episode(bank, last, reply, draft, ids, memory.view())
            if episode is not None:
                _keep(episode, bank, memory)
        except Text2MemError as error:  # the program has run: its reply has to reach the caller
            _log.warning("what the request meant was not kept as experience: %s", error)
    read = _how(draft, reply.trace)
    return Unsettled(reply.request, draft, ids, reply.result.trace_id, done=True, read=read)


def _keep(episode: Episode, bank: Bank, memory: Memory) -> None:
    """Keep an episode if the memories that it rests on are there."""
    if still_there(episode.rests_on, memory.adapter, memory.context).issuperset(episode.rests_on):
        bank.keep(episode)
        # An erasure by another process before the episode was committed has not found it.
        erase_resting(memory.adapter, memory.context)


def _how(draft: Draft, trace: Trace | None) -> Read | None:
    """How a draft that only reads was read; None for a draft that changes something."""
    if draft.changes:
        return None
    if trace is not None and trace.sure < _SURE:
        return "unsurely"
    return "well" if _named(draft) else "blindly"


def _named(draft: Draft | None) -> tuple[str, ...]:
    steps = draft.steps if draft is not None else ()
    return tuple(id_ for step in steps for id_ in step.listed("ids"))


def _episode(
    bank: Bank, last: Unsettled, reply: Reply, draft: Draft, ids: tuple[str, ...], store: StoreView
) -> Episode | None:  # fmt: skip
    """The episode that says what ``last`` meant, by the reply to a later request; None if that
    concerns something else or teaches nothing, or if one of the two brought a text along."""
    assert reply.result is not None
    if set_apart(last.request) is not None or set_apart(reply.request) is not None:
        return None
    chosen = last.request == reply.request
    if chosen and not last.unclear:
        return None  # a yes to the first reading
    if chosen and _keeps_instead(draft, reply.program):
        return None  # the chosen option is no reading of the request
    if not chosen:
        about = query_terms(" ".join(draft.words()))
        shared = {*last.ids} & {*ids} or {*query_terms(last.request)} & {*about}
        if not shared and not bank.alike(last.request, reply.request):
            return None  # the later request concerns something else
        texts = [record.text for record in store.find(ids).values()]
        draft = in_words_of(last.request, draft, last.draft, reply.request, texts)
    return Episode(
        request=last.request, draft=draft, outcome="chosen" if chosen else "corrected",
        told="" if chosen else reply.request, trace_id=reply.result.trace_id, rests_on=ids,
    )  # fmt: skip


def _keeps_instead(draft: Draft, program: Program | None) -> bool:
    """Whether a program only stores new memories, and the draft has no step that does."""
    done = {op.name for op in program.ops} if program is not None else set()
    return done == {"Encode"} and all(step.op != "Encode" for step in draft.steps)
