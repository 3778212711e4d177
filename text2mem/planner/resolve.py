"""Resolve: a step and what it is linked to, as instances of the language, values computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from text2mem.ir.diagnostic import Diagnostic
from text2mem.ir.lengths import token_bound
from text2mem.ir.moments import read_reminder, read_stretches, read_when
from text2mem.ir.reading_clock import Clock
from text2mem.ir.record import Record
from text2mem.ir.surface import STAGES
from text2mem.ir.temporal import format_instant
from text2mem.planner.draft import Step
from text2mem.planner.edit import Exchange, appended, exchange, summed
from text2mem.planner.link import Link
from text2mem.planner.moved import moved

Instance = dict[str, Any]
_DELTAS = {"": 0.2, "a little": 0.1, "a lot": 0.3}
_ENDS = {
    "delete": "soft_delete", "erase": "hard_delete", "archive": "demote", "anonymize": "anonymize",
}  # fmt: skip
_STOPS = {"reminder": "remind", "end": "expire_at"}
_CHUNK = 200
_ROWS = 8
_BESIDE = 160
"""How long what was said may be to stand in a memory whole."""


@dataclass
class Resolved:
    """The instances of a step, and what of it could not be computed.

    ``problems`` stand in the way; ``notes`` are warnings. Pointers address the draft.
    """

    instances: list[Instance] = field(default_factory=list)
    problems: list[Diagnostic] = field(default_factory=list)
    notes: list[Diagnostic] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Resolver:
    """Resolves the steps of one draft. ``first`` says where an earlier step's ids are to be had:
    the number of the instance that stands for each step; ``said`` is the request, ``texts`` what
    memories say, and ``times`` when they are and end, by id, once the steps before have run."""

    clock: Clock
    first: Sequence[int] = ()
    said: str = ""
    texts: dict[str, str] = field(default_factory=dict)
    times: dict[tuple[str, str], datetime] = field(default_factory=dict)

    def resolve(self, step: Step, link: Link, at: str, *, doubted: bool = False) -> Resolved:
        """The instances of a step; ``at`` is its pointer, ``doubted`` says that it is not sure
        which words are to go."""
        out = Resolved()
        _MAKERS[step.op](_Work(self, step, link, at, out, doubted))
        return out


@dataclass(frozen=True, slots=True)
class _Work:
    resolver: Resolver
    step: Step
    link: Link
    at: str
    out: Resolved
    doubted: bool = False

    @property
    def clock(self) -> Clock:
        return self.resolver.clock

    # --- what every op needs -------------------------------------------------------------

    def add(self, args: Mapping[str, Any], op: str = "", **rest: Any) -> None:
        name = op or self.step.op
        instance: Instance = {"stage": STAGES[name], "op": name}
        if name != "Encode":
            instance["target"] = rest.get("target") or self.target()
        if args:
            instance["args"] = dict(args)
        self.out.instances.append(instance)

    def target(self) -> dict[str, Any]:
        link = self.link
        if link.step is not None:
            return {"ids": [f"${self.resolver.first[link.step - 1]}"]}
        if link.everything:
            return {"all": True}
        if link.tags:
            return {"filter": {"has_tags": list(link.tags)}}
        if link.ids:
            return {"ids": list(link.ids)}
        if not link.missing:
            self.problem("nothing-found", "which", "nothing says which memories are meant")
        return {"search": {"intent": {"query": link.missing or "?"}, "limit": _ROWS}}

    def instant(self, key: str) -> str | None:
        """The instant under a key; what cannot be read is a problem."""
        words = self.step.words(key)
        if not words:
            return None
        found = read_when(words, self.clock)
        if found is None:
            self.problem("unreadable-time", key, f"no time can be read of {words!r}")
            return None
        if found <= self.clock.now:
            self.problem("horizon-past", key, f"{words!r} is in the past")
        return format_instant(found)

    def text(self, record: Record) -> str:
        """What a memory says once the steps before have run."""
        return self.resolver.texts.get(record.id, record.text)

    def write(self, record: Record, text: str) -> None:
        """A memory's whole text anew."""
        self.resolver.texts[record.id] = text
        self.add({"set": {"text": text}}, "Update", target={"ids": [record.id]})

    def problem(self, code: str, key: str, message: str, hint: str = "") -> None:
        self.out.problems.append(Diagnostic(code, f"{self.at}/{key}", message, hint))

    def note(self, code: str, key: str, message: str) -> None:
        self.out.notes.append(Diagnostic(code, f"{self.at}/{key}", message, severity="warning"))

    def remind(self, anchor: datetime | None) -> dict[str, Any] | None:
        words = self.step.words("remind")
        if not words:
            return None
        found = read_reminder(words, self.clock, anchor)
        if found is None:
            self.problem("unreadable-time", "remind", f"no time can be read of {words!r}")
            return None
        if found.recurrence is not None:
            rule: dict[str, Any] = {"rrule": found.recurrence.rrule}
            if found.recurrence.until is not None:
                rule["until"] = format_instant(found.recurrence.until)
            return rule
        assert found.at is not None
        if found.at <= self.clock.now:
            self.problem("horizon-past", "remind", f"{words!r} is in the past")
        return {"at": format_instant(found.at)}


def _encode(work: _Work) -> None:
    step = work.step
    args: Instance = {"payload": {"text": step.words("text")}}
    for key, name in (("type", "type"), ("subject", "subject"), ("place", "location")):
        if step.words(key):
            args[name] = step.words(key)
    if step.listed("tags"):
        args["tags"] = list(step.listed("tags"))
    moment = read_when(step.words("date"), work.clock) if step.words("date") else None
    if moment is not None:
        args["time"] = format_instant(moment)
    elif step.words("date") and not _recurs(step.words("date"), work.clock):
        said = step.words("date")
        work.note("unreadable-time", "date", f"no time can be read of {said!r}; it stays in words")
    end = work.instant("until")
    if end is not None:
        args["expire_at"] = end
    remind = work.remind(moment)
    if remind is not None:
        args["remind"] = remind
    work.add(args)
    if step.words("priority"):
        number = f"${len(work.resolver.first) and work.resolver.first[-1]}"
        work.add({"priority": step.words("priority")}, "Promote", target={"ids": [number]})


def _recurs(words: str, clock: Clock) -> bool:
    """Whether words say when something is again and again: no date, and nothing to warn of."""
    found = read_reminder(words, clock)
    return found is not None and found.recurrence is not None


def _update(work: _Work) -> None:
    step, link = work.step, work.link
    if step.words("stop"):
        work.add({"set": {_STOPS[step.words("stop")]: None}})
        if not {"old", "new", "text", "add"} & set(step.values):
            return
    if step.words("text"):
        work.add({"set": {"text": step.words("text")}})
        return
    if step.words("add"):
        for record in link.records:
            if record.lock_mode == "append_only":
                # What may only be added to is added to by a memory of its own.
                made = {"payload": {"text": step.words("add")}, "lineage_parents": [record.id]}
                work.add(made, "Encode")
                continue
            work.write(record, appended(work.text(record), step.words("add")))
        if not link.records:
            work.problem("nothing-found", "about", "there is no memory to add to")
        return
    if not (step.words("new") or step.words("old")):
        if any(record.archived or record.deleted for record in link.records):
            _bring_back(work)
            return
        work.problem("missing-key", "new", "it is not said what the memory should say")
        return
    if not link.records and link.step is not None:
        if {"plus", "minus"} & set(step.values):
            work.problem("words-not-found", "old", "what is only made now has no number to sum")
        else:
            work.add({"replace": {"old": step.words("old"), "new": step.words("new")}})
        return
    for record in link.records:
        _exchange(work, record)


def _exchange(work: _Work, record: Record) -> None:
    old, new = work.step.words("old"), work.step.words("new")
    text = work.text(record)
    amount = work.step.words("plus") or work.step.words("minus")
    found = None
    if amount:
        up = bool(work.step.words("plus"))
        found = summed(text, old, amount, up=up, clock=work.clock)
    elif not work.doubted:
        found = exchange(text, old, new, work.resolver.said)
    if found is None:
        _stand_beside(work, record, tells=bool(new or amount))
        return
    made = text.replace(found.old, found.new)
    if not made.strip():
        work.add({}, "Delete", target={"ids": [record.id]})
        return
    work.resolver.texts[record.id] = made
    work.add({"replace": {"old": found.old, "new": found.new}}, target={"ids": [record.id]})
    _move(work, record, text, found)


def _stand_beside(work: _Work, record: Record, *, tells: bool) -> None:
    """What is to go cannot be told: what was said stands beside it, and nothing is lost."""
    said, text = work.resolver.said, work.text(record)
    beside = said if 0 < len(said) <= _BESIDE else work.step.words("new")
    if not (tells and beside):
        old = work.step.words("old")
        work.problem("words-not-found", "old", f"memory {record.id} does not say {old!r}")
        return
    if beside not in text:
        work.write(record, appended(text, beside))
    work.note("words-not-found", "old", f"added to memory {record.id}: what it replaces is not "
              "certain")  # fmt: skip


def _move(work: _Work, record: Record, before: str, edit: Exchange) -> None:
    """The memory's time, its reminder with it, and its end, where they stood in the words that
    changed."""
    fields: Instance = {}
    times, id_ = work.resolver.times, record.id
    at = moved(times.get((id_, "time"), record.time), record, before, edit, work.clock)
    if at is not None and record.time is not None:
        times[id_, "time"] = at
        fields["time"] = format_instant(at)
        if record.remind_next is not None and record.remind_rrule is None:
            ahead = record.remind_next + (at - record.time)
            if ahead > work.clock.now:
                fields["remind"] = {"at": format_instant(ahead)}
    end = moved(times.get((id_, "end"), record.expire_at), record, before, edit, work.clock)
    if end is not None and end > work.clock.now:
        times[id_, "end"] = end
        fields["expire_at"] = format_instant(end)
    if fields:
        work.add({"set": fields}, target={"ids": [record.id]})


def _label(work: _Work) -> None:
    for key in ("remove", "add"):
        tags = list(work.step.listed(key))
        if key == "remove":
            held = {tag.casefold(): tag for record in work.link.records for tag in record.tags}
            tags = [held.get(tag.casefold(), tag) for tag in tags]
        if tags:
            work.add({"tags": tags, "mode": key})


def _promote(work: _Work) -> None:
    step = work.step
    hidden = [r for r in work.link.records if r.archived or r.deleted]
    if hidden:
        _bring_back(work)
    args: Instance = {}
    times = [record.time for record in work.link.records if record.time is not None]
    remind = work.remind(times[0] if len(times) == 1 else None)
    if remind is not None:
        args["remind"] = remind
    if step.words("priority"):
        args["priority"] = step.words("priority")
    elif not args and not hidden:
        args["weight_delta"] = _DELTAS[step.words("by")]
    if args:
        work.add(args)


def _bring_back(work: _Work) -> None:
    for record in work.link.records:
        back = {name: False for name in ("archived", "deleted") if getattr(record, name)}
        if back:
            work.add({"set": back}, "Update", target={"ids": [record.id]})


def _demote(work: _Work) -> None:
    step = work.step
    args: Instance = {}
    if step.words("priority"):
        args["priority"] = step.words("priority")
    elif step.values.get("archive") or (step.words("until") and not step.words("by")):
        # What is lowered for a while is not to come up for that while.
        args["archive"] = True
    else:
        args["weight_delta"] = -_DELTAS[step.words("by")]
    until = work.instant("until")
    if until is not None:
        args["until"] = until
    work.add(args)


def _merge(work: _Work) -> None:
    args = {}
    primary = work.link.primary
    if primary is not None:
        args["primary_id"] = primary.id
    work.add(args)


def _split(work: _Work) -> None:
    step = work.step
    by, parts = step.words("by"), step.listed("parts")
    if parts or by not in ("", "sentences", "chunks"):
        said = "; ".join(filter(None, (by, ", ".join(parts))))
        work.add({"strategy": "custom", "params": {"instruction": said}})
    elif by == "chunks":
        work.add({"strategy": "by_chunks", "params": {"chunk_size": _CHUNK}})
    else:
        work.add({"strategy": "by_sentences"})


def _delete(work: _Work) -> None:
    work.add({"soft": False} if work.step.values.get("for_good") else {})


def _lock(work: _Work) -> None:
    args: Instance = {"mode": work.step.words("mode")}
    until = work.instant("until")
    if until is not None:
        args["policy"] = {"expires": until}
    work.add(args)


def _expire(work: _Work) -> None:
    until = work.instant("when")
    if until is None:
        return
    args: Instance = {"until": until}
    if work.step.words("then"):
        args["on_expire"] = _ENDS[work.step.words("then")]
    work.add(args)


def _retrieve(work: _Work) -> None:
    work.add(_seen(work))


def _summarize(work: _Work) -> None:
    args = _seen(work)
    if work.step.words("focus"):
        args["focus"] = work.step.words("focus")
    bound = token_bound(work.step.words("length"))
    if bound is not None:
        args["max_tokens"] = bound
    work.add(args)


def _seen(work: _Work) -> Instance:
    """What a read may see beside what is in sight: what its link found."""
    args: Instance = {}
    as_of = work.step.words("as_of")
    moment = next(iter(read_stretches(as_of, work.clock)), None) if as_of else None
    if moment is not None:
        args["as_of"] = format_instant(min(moment.end, work.clock.now))
    elif as_of:
        work.note("unreadable-time", "as_of", f"no time can be read of {as_of!r}: as it is now")
    if any(record.archived for record in work.link.records):
        args["include_archived"] = True
    if any(record.deleted for record in work.link.records):
        args["include_deleted"] = True
    return args


_MAKERS: Mapping[str, Callable[[_Work], None]] = {
    "Encode": _encode, "Update": _update, "Label": _label, "Promote": _promote,
    "Demote": _demote, "Merge": _merge, "Split": _split, "Delete": _delete, "Lock": _lock,
    "Expire": _expire, "Retrieve": _retrieve, "Summarize": _summarize,
}  # fmt: skip
