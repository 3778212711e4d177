"""Resolve: turn a step and its link into instances of the language, with all values computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from text2mem.editing.lists import open_ended
from text2mem.ir.ops import READS
from text2mem.ir.times.lengths import token_bound
from text2mem.ir.times.moments import read_day, read_when, recurrence_beside, recurrence_in, recurs
from text2mem.ir.times.passed_over import of_times
from text2mem.ir.times.stretches import read_stretches
from text2mem.ir.times.temporal import format_instant
from text2mem.ir.times.tense import gone
from text2mem.ir.words.folding import fold
from text2mem.ir.words.segment import HAN, index_terms, query_terms
from text2mem.planner.change import change
from text2mem.planner.draft import Step
from text2mem.planner.linked import Link
from text2mem.planner.reminder import remind
from text2mem.planner.skipped import skipped
from text2mem.planner.work import Instance, SoFar, Work, only

_DELTAS = {"": 0.2, "a little": 0.1, "a lot": 0.3}
_ENDS = {
    "delete": "soft_delete", "erase": "hard_delete", "archive": "demote", "anonymize": "anonymize",
}  # fmt: skip
_CHUNK = 200


def resolve(step: Step, link: Link, so_far: SoFar, at: str, *, doubted: bool = False) -> Work:
    """The instances of a step. ``at`` is its pointer; ``doubted``: its old words are uncertain."""
    work = Work(so_far, step, link, at, doubted)
    _MAKERS[step.op](work)
    if step.op not in READS and not step.listed("ids"):
        _from(work)
    return work


def _from(work: Work) -> None:
    """Report a time that memories are from as a problem, if it is one but cannot be read."""
    said = work.step.words("from")
    if said and not read_stretches(said, work.clock) and of_times(said):
        work.unreadable("from", said)


def _given(**values: Any) -> Instance:
    """The values that are not empty."""
    return {name: value for name, value in values.items() if value}


def _encode(work: Work) -> None:
    said = work.step.words("date")
    once = bool(said) and not recurs(said, work.clock)
    moment = (read_when(said, work.clock) or read_day(said, work.clock)) if once else None
    if said and moment is None:
        work = _in_words(work, said)
    reminds = work.step.words("remind")
    if reminds and not (said or work.moment) and recurrence_beside(reminds, work.clock):
        work = _in_words(work, reminds)
    step = work.step
    if moment and not (step.words("remind") or step.words("until")):
        moment = gone(step.words("text"), said, work.clock) or moment
    if once and moment is None:
        work.note("unreadable-time", "date", "stays-in-words", words=said)
    filed = _given(
        type=step.words("type"), subject=step.words("subject"), location=step.words("place"),
        tags=list(step.listed("tags")), time=moment and format_instant(moment),
        expire_at=work.instant("until"), remind=remind(work, moment),
    )  # fmt: skip
    work.add({"payload": {"text": open_ended(step.words("text"))}, **filed})
    if step.words("priority"):
        made = f"${work.so_far.first[-1]}"
        work.add({"priority": step.words("priority")}, "Promote", target={"ids": [made]})


def _in_words(work: Work, date: str) -> Work:
    """The work on a new memory whose text also says ``date``, words for no instant that the request
    says."""
    text = work.step.words("text")
    terms, held = {*query_terms(date)}, {*index_terms(text)}
    again = recurs(date, work.clock)
    told = terms <= held or recurrence_in(text, work.clock) if again else terms & held
    if told or fold(date) not in fold(work.so_far.said):
        return work
    gap = "，" if HAN.search(text) else ", "
    values = {**work.step.values, "text": f"{text.rstrip(' .,。，;；')}{gap}{date}"}
    return replace(work, step=replace(work.step, values=values))


def _label(work: Work) -> None:
    for key in ("add", "remove"):  # what is found by a tag is not found once that is removed
        tags = list(work.step.listed(key))
        if key == "remove":
            held = {tag.casefold(): tag for record in work.link.records for tag in record.tags}
            tags = [held.get(tag.casefold(), tag) for tag in tags]
        if tags:
            work.add({"tags": tags, "mode": key})


def _promote(work: Work) -> None:
    step = work.step
    work.bring_back()
    reminded = skipped if step.words("skip") else remind
    each = [(one, reminded(one)) for one in _apart(work)]
    (_, shared), *others = each
    args = _given(priority=step.words("priority"))
    if all(found == shared for _, found in others):
        args |= _given(remind=shared)
    else:
        for one, found in each:
            if found:
                work.add({"remind": found}, target=one.target())
    moved_along = (step.words("remind") or step.words("skip")) and not work.problems
    if not (args or work.instances or moved_along):
        args["weight_delta"] = _DELTAS[step.words("by")]
    if args:
        work.add(args)


def _apart(work: Work) -> list[Work]:
    """The work of a step on each of its memories, if they are about different times, to which a
    reminder may be relative ("a day before both"), or skip times; else the work as it is."""
    link = work.link
    each = [replace(work, link=replace(link, records=(record,))) for record in link.records]
    named = link.filter is None and not link.everything and len(each) > 1
    timed = work.moment is None and all(one.moment for one in each)
    apart = named and (timed or bool(work.step.words("skip")))
    return each if apart else [work]


def _demote(work: Work) -> None:
    step = work.step
    if step.words("priority"):
        args: Instance = {"priority": step.words("priority")}
    elif step.values.get("archive") or (step.words("until") and not step.words("by")):
        # To lower a memory for a while means to keep it out of sight for that while.
        args = {"archive": True}
    else:
        args = {"weight_delta": -_DELTAS[step.words("by")]}
    work.add({**args, **_given(until=work.instant("until"))})


def _merge(work: Work) -> None:
    primary = work.link.primary
    work.add({} if primary is None else {"primary_id": primary.id})


def _split(work: Work) -> None:
    step = work.step
    by, parts = step.words("by"), step.listed("parts")
    if parts or by not in ("", "sentences", "chunks"):
        said = ": ".join(filter(None, (by, "; ".join(parts))))
        work.add({"strategy": "custom", "params": {"instruction": said}})
    elif by == "chunks":
        work.add({"strategy": "by_chunks", "params": {"chunk_size": _CHUNK}})
    else:
        work.add({"strategy": "by_sentences"})


def _delete(work: Work) -> None:
    work.add({"soft": False} if work.step.values.get("for_good") else {})


def _lock(work: Work) -> None:
    policy = _given(expires=work.instant("until"))
    work.add({"mode": work.step.words("mode"), **_given(policy=policy)})


def _expire(work: Work) -> None:
    until = work.instant("when", only(record.expire_at for record in work.records))
    if until is None:
        return
    then = work.step.words("then")
    work.add({"until": until, **_given(on_expire=then and _ENDS[then])})


def _retrieve(work: Work) -> None:
    work.add(_seen(work))


def _summarize(work: Work) -> None:
    step = work.step
    digest = _given(focus=step.words("focus"), max_tokens=token_bound(step.words("length")))
    work.add({**_seen(work), **digest})


def _seen(work: Work) -> Instance:
    """The arguments of a read: from which instant, and whether it found hidden memories."""
    as_of = work.step.words("as_of")
    moment = next(iter(read_stretches(as_of, work.clock)), None) if as_of else None
    if as_of and moment is None:
        work.note("unreadable-time", "as_of", "as-it-is-now", words=as_of)
    return _given(
        as_of=moment and format_instant(min(moment.end, work.clock.now)),
        include_archived=any(record.archived for record in work.link.records),
        include_deleted=any(record.deleted for record in work.link.records),
    )


_MAKERS: Mapping[str, Callable[[Work], None]] = {
    "Encode": _encode, "Update": change, "Label": _label, "Promote": _promote,
    "Demote": _demote, "Merge": _merge, "Split": _split, "Delete": _delete, "Lock": _lock,
    "Expire": _expire, "Retrieve": _retrieve, "Summarize": _summarize,
}  # fmt: skip
