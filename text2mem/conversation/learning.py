"""What a conversation teaches: what a request turned out to mean that was not understood.

No words decide that, but what was done: a request whose question was answered, or which was taken
back, one that came to nothing, and a read of which the reader was in doubt, each followed by one
that did something to the same memories. A read is not taken back; so what it was is told by how
sure the reader was of it, and whether it named a memory.
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
from text2mem.ir.ops import READS
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
_SURE = 0.97
"""Below it a reader was in doubt of what a read asked for. Of 11 ordinary questions in two
languages the least was .994, of five reads that were none .94 at most (docs/bench/experience.md).
"""


@dataclass(frozen=True, slots=True)
class Unsettled:
    """The last request that may have been misread: how it was, and which memories that concerned.

    ``done`` where it has run and was not taken back (yet), with how it was ``read`` where it only
    reads: not sure that it does, without naming a memory, or well. ``unclear`` where the planner
    asked.
    """

    request: str
    draft: Draft | None = None
    ids: tuple[str, ...] = ()
    trace_id: str = ""
    done: bool = False
    read: Read | None = None
    unclear: bool = False

    def may_mean(self, draft: Draft, ids: Iterable[str]) -> bool:
        """Whether what was done to some memories may be what was meant: anything, where nothing
        came of the request. After a read it is a change of what it read, where the reader was not
        sure; or a read of the same, in other words."""
        if not self.done:
            return True
        before, now = {*self.ids}, {*ids}
        if self.read is None or not before & now:
            return False
        if _reads(draft):
            return self.read == "blindly" or before == now
        return self.read == "unsurely"


def learnt(
    bank: Bank, last: Unsettled | None, reply: Reply, memory: Memory
) -> Unsettled | None:  # fmt: skip
    """Keep in the bank what a reply of ``memory`` teaches about ``last``; returns what is unsettled
    then. An error of the bank is logged."""
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
    tried = reply.result.dry_run and changes(reply.result)
    if last is not None and last.may_mean(draft, ids) and not tried:
        try:
            found = _episode(bank, last, reply, draft, ids, memory.view())
            if found is not None:
                _keep(found, bank, memory)
        except Text2MemError as error:  # the program has run: its reply has to reach the caller
            _log.warning("what the request meant was not kept as experience: %s", error)
    read = _how(draft, reply.trace)
    return Unsettled(reply.request, draft, ids, reply.result.trace_id, done=True, read=read)


def _keep(episode: Episode, bank: Bank, memory: Memory) -> None:
    """Keep an episode if the memories that it rests on are there.

    An erasure by another process before the episode is committed does not find it. So the bank is
    checked again afterwards.
    """
    if still_there(episode.rests_on, memory.adapter, memory.context).issuperset(episode.rests_on):
        bank.keep(episode)
        erase_resting(memory.adapter, memory.context)


def _how(draft: Draft, trace: Trace | None) -> Read | None:
    """How sure the reader was that a draft only reads; None for a draft that changes something."""
    if not _reads(draft):
        return None
    if trace is not None and trace.sure < _SURE:
        return "unsurely"
    return "well" if _named(draft) else "blindly"


def _reads(draft: Draft) -> bool:
    return all(step.op in READS for step in draft.steps)


def _named(draft: Draft | None) -> tuple[str, ...]:
    """The memories that a reader named by their ids."""
    steps = draft.steps if draft is not None else ()
    return tuple(id_ for step in steps for id_ in step.listed("ids"))


def _episode(
    bank: Bank, last: Unsettled, reply: Reply, draft: Draft, ids: tuple[str, ...], store: StoreView
) -> Episode | None:  # fmt: skip
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
        shared = {*last.ids} & {*ids} or {*query_terms(last.request)} & {*about}
        if not shared and not bank.alike(last.request, reply.request):
            return None  # another matter
        texts = [record.text for record in store.find(ids).values()]
        draft = in_words_of(last.request, draft, last.draft, reply.request, texts)
    return Episode(
        request=last.request, draft=draft, outcome="chosen" if chosen else "corrected",
        told="" if chosen else reply.request, trace_id=reply.result.trace_id, rests_on=ids,
    )  # fmt: skip


def _keeps_instead(draft: Draft, program: Program | None) -> bool:
    """Whether a program only keeps something new, and the draft does not."""
    done = {op.name for op in program.ops} if program is not None else set()
    return done == {"Encode"} and all(step.op != "Encode" for step in draft.steps)
