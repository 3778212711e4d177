"""The versions of a fact: the steps that end, move, resume and approve them.

A version begins where the one before it ends, so these steps keep its neighbours in place, too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from text2mem.ir.patch import patched
from text2mem.ir.record import Record
from text2mem.ir.times.temporal import format_instant
from text2mem.ir.values import canonical
from text2mem.ledger.evolution.program import encodes
from text2mem.ledger.evolution.version import Version
from text2mem.ledger.ledger import Ledger
from text2mem.ledger.policy import SURE

BEFORE_ALL = "0001-01-01T00:00:00Z"
"""The beginning of a fact with a known end and an unknown beginning."""
Instance = Mapping[str, Any]


def approval(ledger: Ledger, record: Record, confidence: float = 0.0) -> tuple[Instance, ...]:
    """The steps that let a pending fact count: they end what it replaces, and raise its
    confidence, to ``confidence`` if that is more than it was stated with."""
    sure, begins = max(SURE, confidence or stated_confidence(record)), record.begins
    over = [
        step for old in replaced_by(ledger, record) for step in end_or_drop(ledger, old, begins)
    ]
    # What names only an end is followed by nothing that it names.
    first = None if record.payload.get("turn") == format_instant(begins) else begins
    resumed = resume(ledger, record.line, record.value, first, record.valid_to)
    return (*over, edit_fact(record, confidence=sure), *resumed)


def replaced_by(ledger: Ledger, waits: Record) -> Sequence[Record]:
    """The facts that a pending one replaces, unless they have ended since; for one that an
    evolution has replaced, the new one."""
    ids, found = waits.payload.get("replaces"), dict[str, Record]()
    ids = [*map(str, ids)] if isinstance(ids, list) else []
    while new := ledger.in_any_state(id_ for id_ in ids if id_ not in found):
        found |= new
        ids = [child for row in new.values() if row.deleted for child in row.lineage_children]
    return [
        record for record in found.values()
        if record.line == waits.line and not record.deleted and record.ends > waits.begins
    ]  # fmt: skip


def stated_confidence(record: Record) -> float:
    """The confidence with which a fact was stated. A pending fact has it in its payload."""
    stated = record.payload.get("confidence", record.confidence)
    return float(stated) if isinstance(stated, int | float) else SURE


def end_or_drop(
    ledger: Ledger, record: Record, end: datetime, latest: datetime | None = None
) -> list[Instance]:
    """The steps that end a version at an instant, or at the latest that is possible if it begins
    after that; a pending fact is deleted."""
    if record.pending:
        return [deletion(record)]
    last = end if end >= record.begins else latest or end
    return end_at(ledger, record, max(last, record.begins))


def never_held(ledger: Ledger, record: Record) -> list[Instance]:
    """The steps after which a version never held: what it superseded is stated anew, with its
    sources, and up to its own end or that of this one."""
    ended, before = end_at(ledger, record, record.begins), version_before(ledger, record)
    if len(ended) > 1 or before is None:  # what it interrupts goes on by itself
        return ended
    ends = [end for end in (_told_end(ledger, before, record), record.valid_to) if end is not None]
    again = encodes(Version.of(before), min(ends, default=None), ledger.registry)
    emptied = edit_fact(before, valid_to=format_instant(before.begins))
    return [*ended, emptied, *({"stage": "ENC", "op": "Encode", "args": args} for args in again)]


def version_before(ledger: Ledger, record: Record) -> Record | None:
    """The version that a version has ended, whose beginning is that one's end."""
    first = not (record.supersedes or record.lineage_parents)
    if first or format_instant(record.begins) == BEFORE_ALL:
        return None
    before = version_at(ledger, record.line, record.begins - timedelta(seconds=1))
    return before if before is not None and before.valid_to == record.begins else None


def version_at(ledger: Ledger, line: tuple[str, str], instant: datetime) -> Record | None:
    """The version that holds at an instant, of an attribute that holds one."""
    subject, attribute = line
    if ledger.registry.attribute(attribute).cardinality != "one":
        return None
    return next(iter(ledger.facts(subject=subject, attribute=attribute, as_of=instant)), None)


def _told_end(ledger: Ledger, before: Record, record: Record) -> datetime | None:
    """The end that a version had before this one, and whatever had done so before, superseded
    it."""
    subject, attribute = record.line
    line = ledger.settled(lambda: ledger.records(subject=subject, attribute=attribute))
    end = _end_before(ledger, before, record)
    for other in (each for each in line[::-1] if each.begins > before.begins):
        if end is not None and format_instant(end) in _begun(ledger, other):
            end = _end_before(ledger, before, other)
    return end


def _end_before(ledger: Ledger, before: Record, record: Record) -> datetime | None:
    """The end that a version had when this one, or what it stands for, was told."""
    first = ledger.entries(_stood_for(ledger, record))[:1]
    for entry in ledger.entries(_stood_for(ledger, before)) if first else ():
        of_it = entry.trail.trace_id == first[0].trail.trace_id and entry.kind == "changed"
        ended = {each.field: each.before for each in entry.changes if each.field == "valid_to"}
        if ended and (of_it or entry.seq > first[0].seq):
            return patched(before, ended).valid_to
    return before.valid_to


def _begun(ledger: Ledger, record: Record) -> Collection[Any]:
    """The instants, as the journal writes them, at which a version has begun or was to begin."""
    changes = (each for entry in ledger.entries([record.id]) for each in entry.changes)
    return [each.after for each in changes if each.field == "valid_from"]


def _stood_for(ledger: Ledger, record: Record) -> Collection[str]:
    """The ids of a version and of those that it corrects or states anew, which hold no more."""
    found, new = set[str](), [record]
    while new:
        found.update(each.id for each in new)
        ids = {id_ for each in new for id_ in (each.supersedes, *each.lineage_parents) if id_}
        older = ledger.in_any_state(ids - found).values()
        new = [each for each in older if each.line == record.line and each.valid_to == each.begins]
    return found


def end_at(ledger: Ledger, record: Record, end: datetime) -> list[Instance]:
    """The steps that move the end of a version, and the beginning of what is resumed there."""
    steps, before = [edit_fact(record, valid_to=format_instant(end))], record.valid_to
    subject, attribute = record.line
    at_end = ledger.facts(subject=subject, attribute=attribute, as_of=before) if before else ()
    for later in at_end:
        parents = ledger.find(later.lineage_parents).values()
        interrupted = any((p.line, p.valid_to) == (later.line, record.valid_from) for p in parents)
        if interrupted and later.valid_from == before:
            steps.append(edit_fact(later, valid_from=format_instant(end)))
            if before is not None and end > before:  # what is resumed has to make room first
                steps.reverse()
    return steps


def shift(ledger: Ledger, held: Record, begins: datetime, ends: datetime | None) -> list[Instance]:
    """The steps that move a version, and with it the end of the one before it and the beginning of
    what is resumed after it."""
    steps = [edit_fact(held, valid_from=format_instant(begins))]
    before = None if held.pending else version_before(ledger, held)
    if before is None and begins < held.begins and not held.pending:
        before = version_at(ledger, held.line, begins)
    if before is not None and before.begins < begins:
        end = min(begins, _told_end(ledger, before, held) or begins)
        steps.append(edit_fact(before, valid_to=format_instant(end)))
        if begins < held.begins:  # the one before has to make room first
            steps.reverse()
    if ends is None or ends == held.valid_to:
        return steps
    ended = end_at(ledger, held, ends)
    later = held.valid_to is not None and ends > held.valid_to
    return [*ended, *steps] if later else [*steps, *ended]


def resume(
    ledger: Ledger, line: tuple[str, str], value: Any, first: datetime | None, last: datetime | None
) -> list[Instance]:
    """After a value that is told with both its ends ("Samir stands in from the 6th to the 17th"),
    what it interrupts, as a child of that version and with its sources, to be forgotten with it."""
    subject, attribute = line
    if first is None or last is None or ledger.registry.attribute(attribute).cardinality != "one":
        return []
    return [
        {"stage": "ENC", "op": "Encode", "args": args}
        for record in ledger.facts(subject=subject, attribute=attribute, as_of=first)
        if record.begins < first and record.ends > last
        and canonical(record.value).casefold() != canonical(value).casefold()
        for args in encodes(
            replace(Version.of(record), valid_from=last), record.valid_to, ledger.registry
        )
    ]  # fmt: skip


def deletion(record: Record) -> Instance:
    """The step that deletes a fact softly."""
    return {"stage": "STO", "op": "Delete", "target": {"ids": [record.id]}}


def edit_fact(record: Record, **fields: Any) -> Instance:
    """The Update that sets fields of a fact."""
    target = {"ids": [record.id]}
    return {"stage": "STO", "op": "Update", "target": target, "args": {"set": fields}}
