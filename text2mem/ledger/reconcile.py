"""Reconcile a candidate with the present ledger: make the program that it means.

Here a candidate is kept or waits, and a correction, a retraction, a yes or a no finds its version.
Whether it is new, a repeat or a change shows when the program runs (docs/ledger.md, "Writing").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import prod
from typing import Any

from text2mem.ir.record import Record
from text2mem.ir.times.temporal import format_instant
from text2mem.ir.values import UnfitValue, canonical
from text2mem.ledger.candidate import Became, Candidate
from text2mem.ledger.case import Case, fitted, said_after
from text2mem.ledger.episode import Episode, source
from text2mem.ledger.evolution.names import write_name
from text2mem.ledger.ledger import Ledger
from text2mem.ledger.versions import (
    BEFORE_ALL,
    Instance,
    approval,
    deletion,
    end_at,
    end_or_drop,
    never_held,
    replaced_by,
    resume,
    shift,
    stated_confidence,
    version_before,
)


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do for a candidate: a program, or the reason why there is none."""

    program: tuple[Instance, ...] = ()
    became: Became | None = None
    """The outcome; None if it is known only after the program has run (``writing``)."""
    reason: str = ""
    ids: tuple[str, ...] = ()
    """The facts that it is about."""
    denied: bool = False


def reconcile(candidate: Candidate, episode: Episode, ledger: Ledger) -> Plan:
    """Make the plan for one candidate of an episode."""
    if not candidate.subject.strip() or not candidate.attribute.strip():
        return Plan(became="rejected", reason="it names no subject or no attribute")
    named = ledger.registry.attribute(candidate.attribute).name
    known = ledger.registry.attribute(write_name(ledger, candidate.attribute))
    case = Case(candidate, episode, ledger, known, tuple(dict.fromkeys((known.name, named))))
    if candidate.kind == "state":
        case = replace(case, candidate=replace(candidate, valid_from=case.begins()))
    if candidate.kind in ("confirm", "reject"):
        return _answer(case)
    if candidate.kind == "retract":
        return _retract(case)
    verdicts = dict([ledger.policy.verdict_on(candidate.value)])
    for name in reversed(case.names):
        verdicts.update([ledger.policy.verdict(name, candidate.type, ledger.registry)])
    if "deny" in verdicts:
        return Plan(became="ignored", reason=verdicts["deny"], denied=True)
    if candidate.value is None:
        return Plan(became="rejected", reason="it names no value")
    waits = verdicts.get("confirm") or case.contradicts_user()
    try:
        value = ledger.registry.normalise(known, fitted(known, candidate.value))
    except UnfitValue as error:
        return Plan(became="rejected", reason=str(error))
    corrects = candidate.kind == "correct" and not case.reported
    if corrects and (plan := _correct(case, value, waits)):
        return plan
    return _state(case, value, waits)


# --- what is so ----------------------------------------------------------------------------


def _state(case: Case, value: Any, confirm: str | None) -> Plan:
    """The plan for a value that holds: an Encode, of a pending fact if it has to wait. ``confirm``
    is the reason why it waits for a yes, if it does."""
    ending = case.to_end(value)
    ledger, confidence, candidate = case.ledger, case.confidence, case.candidate
    alike = [record for record in case.waiting() if case.same(record.value, value)]
    end = candidate.valid_from or case.episode.at
    over = [step for r in case.replaced() for step in end_or_drop(ledger, r, end, candidate.latest)]
    if case.holds(value):
        sure = confidence >= ledger.policy.floor
        return Plan((*(over if sure else ()), _encoding(case, value, confidence)))
    heard_again = ending is not None and case.overruled(ending) and candidate.valid_from is None
    if ending is not None and (heard_again or not case.unsure):
        plan = _end(case, ending)
        return replace(plan, program=(*over, *plan.program))
    if confirm is None and (held := case.begun(value)) and (moved := _moved(case, held)):
        return replace(moved, program=(*over, *moved.program))
    if (later := case.said_later()) is not None:
        reason = f"memory {later.id}, which was said later, holds from the same instant on"
        return Plan(became="ignored", reason=reason)
    if (confirm or confidence < ledger.policy.floor) and not ledger.registry.confidence_floor:
        reason = "it would have to wait, and the registry's confidence_floor lets nothing wait"
        return Plan(became="rejected", reason=reason)
    if confirm is not None:
        if alike:
            ids = tuple(record.id for record in alike)
            return Plan(became="pending", reason=f"it waits already: {confirm}", ids=ids)
        return Plan((_encoding(case, value, confidence, waits=confirm),), None, confirm)
    # The confidences of all statements are combined: the probability that all of them are wrong.
    earlier = [r for r in alike if r.source_episode_id != case.episode.id]
    wrong = prod((1 - stated_confidence(record) for record in earlier), start=1 - confidence)
    episodes = len({record.source_episode_id for record in earlier} | {case.episode.id})
    sure = 1 - wrong >= ledger.policy.floor
    if episodes < case.needed:
        reason = f"heard in {episodes} of {case.needed} episodes"
    elif not sure:
        reason = f"the confidence {confidence:.2f} is below {ledger.policy.floor:g}"
    else:
        admitted = [step for r in alike for step in approval(ledger, r, 1 - wrong)]
        reason = f"heard {episodes} times" if earlier else ""
        became: Became | None = "new" if admitted else None
        over = [step for step in over if step not in admitted]
        line, ends = (case.subject, case.attribute.name), (candidate.valid_from, candidate.valid_to)
        resumed = [] if admitted else resume(ledger, line, value, *ends)
        made = (*over, *admitted, _encoding(case, value, confidence), *resumed)
        return Plan(made, became, reason)
    return Plan((_encoding(case, value, confidence, waits=reason),), None, reason)


def _end(case: Case, held: Record) -> Plan:
    """The plan that ends a version where the candidate, which has its value, does. The version
    gains a source, and what is told of the time before it is stated. A report ends nothing that
    the user has said."""
    candidate, value = case.candidate, held.value
    assert candidate.valid_to is not None
    ended = [] if case.overruled(held) else end_at(case.ledger, held, candidate.valid_to)
    heard = replace(case, candidate=replace(candidate, valid_to=held.valid_to))
    again = _encoding(heard, value, case.confidence, since=held.valid_from)
    if candidate.valid_from not in (None, held.valid_from):
        return Plan((again, *ended, _encoding(case, value, case.confidence)))
    return Plan((again, *ended), "retract", f"memory {held.id} ends") if ended else Plan((again,))


def _encoding(
    case: Case,
    value: Any,
    confidence: float,
    *,
    waits: str | None = None,
    since: datetime | None = None,
) -> Instance:
    """The Encode of a fact that begins ``since``, else where the candidate does, else where it is
    told, unless it is over by then. If it ``waits`` for a reason, its confidence is below the
    registry's floor, which makes it pending."""
    candidate, ledger, told = case.candidate, case.ledger, case.episode.at
    begins = since or candidate.valid_from
    if begins is None and (candidate.valid_to is None or candidate.valid_to > told):
        begins = told
    valid_from = BEFORE_ALL if begins is None else format_instant(begins)
    floor = ledger.registry.confidence_floor
    stored = max(round(confidence, 4), floor) if waits is None else min(confidence, floor / 2)
    structured = {"subject": case.subject, "attribute": case.attribute.name, "value": value}
    args: dict[str, Any] = {
        "payload": {"structured": structured, "span": list(candidate.quote)},
        "type": candidate.type, "valid_from": valid_from, "confidence": stored,
        "source_episode_id": case.episode.id, "source": source(case.episode.message),
    }  # fmt: skip
    if candidate.valid_to is not None:
        args["valid_to"] = format_instant(candidate.valid_to)
    if waits is not None:
        args["payload"].update(waits=waits, confidence=round(confidence, 4))
        if candidate.valid_from is None:  # no beginning is told: it begins with its turn
            args["payload"]["turn"] = valid_from
        if replaced := case.replaced():
            args["payload"]["replaces"] = [record.id for record in replaced]
    if retentions := [*filter(None, map(ledger.policy.kept_for, case.names))]:
        args["retention_policy"] = retentions[0]
    return {"stage": "ENC", "op": "Encode", "args": args}


# --- what was wrong, or is over ------------------------------------------------------------


def _correct(case: Case, value: Any, confirm: str | None) -> Plan | None:
    """The plan that replaces a wrong version by the value, from its beginning on; None if no
    version can be corrected, so that the candidate is treated as a statement. What waits is taken
    back and stated anew."""
    waits = confirm is not None or case.unsure
    if (timed := _timed(case, value, waits=waits)) is not None:
        return timed
    wrong = _wrong(case)
    if wrong is None or case.same(wrong.value, value):
        return None
    begins, is_one = case.candidate.valid_from, case.attribute.cardinality == "one"
    ends = replace(case.candidate, valid_to=case.candidate.valid_to or wrong.valid_to)
    anew = replace(ends, valid_from=begins or wrong.begins)
    if wrong.pending:
        old = next((record.value for record in replaced_by(case.ledger, wrong)), None)
        plan = _state(replace(case, candidate=replace(anew, replaces=old)), value, confirm)
        return replace(plan, program=(deletion(wrong), *plan.program))
    if waits:
        return _state(replace(case, candidate=anew), value, confirm) if is_one else None
    case = replace(case, candidate=ends)
    before, last = version_before(case.ledger, wrong), _last(case, wrong)
    if begins is None or not (
        (before is None or before.begins < begins) and (last is None or begins < last)
    ):
        begins = wrong.begins
    reason = f"memory {wrong.id} was wrong"
    right = _encoding(case, value, case.confidence, since=begins)
    if begins == wrong.begins and is_one:
        return Plan((right,), None, reason)
    if before is None:
        steps = end_at(case.ledger, wrong, wrong.begins)
    else:  # what is right takes the place of what is wrong at the same beginning
        steps = shift(case.ledger, wrong, begins, last)
    return Plan((*steps, right), "correct", reason)


def _wrong(case: Case) -> Record | None:
    """The version that a correction is about: by the value that it replaces, else the last told."""
    replaces = case.candidate.replaces
    others = case.not_now() if replaces is not None else case.ahead(None)
    meant = case.with_value([*case.current(), *case.waiting(), *others], replaces)
    if replaces is None:
        meant.sort(key=lambda r: (r.updated_at, int(r.id)), reverse=True)
    return next(iter(meant), None)


def _timed(case: Case, value: Any, *, waits: bool) -> Plan | None:
    """The plan of a correction that tells another time of the same value; None if it does not."""
    if case.candidate.replaces not in (None, value):
        return None
    if not waits and (ending := case.to_end(value)) is not None:
        return _end(case, ending)
    same = [*case.with_value(case.waiting(), value), *([] if waits else case.versions(value))]
    return _moved(case, same[0], waits=waits) if same else None


def _moved(case: Case, held: Record, *, waits: bool = False) -> Plan | None:
    """The plan that corrects the beginning of a version, and its end if that is told; None if no
    other beginning is told. If the version waits and the candidate does not, it counts."""
    begins, ledger = case.candidate.valid_from, case.ledger
    ends = _last(case, held)
    if begins is None or begins == held.valid_from or (ends is not None and begins >= ends):
        return None
    steps = shift(ledger, held, begins, ends)
    reason = f"memory {held.id} began at another time"
    if held.pending and waits:
        return Plan(tuple(steps), "pending", reason, (held.id,))
    if held.pending:
        steps += approval(ledger, replace(held, valid_from=begins, valid_to=ends), case.confidence)
    told: Became = "correct" if case.candidate.kind == "correct" else "late"
    became: Became = "new" if held.pending else told
    return Plan((*steps, _encoding(case, held.value, case.confidence)), became, reason)


def _last(case: Case, held: Record) -> datetime | None:
    """The end of a version: the one that the candidate tells, at the latest where another version
    begins, unless what is resumed after it moves along."""
    last, told = held.valid_to, case.candidate.valid_to or held.valid_to
    if last is None or told is None or told <= last or case.attribute.cardinality != "one":
        return told
    if len(end_at(case.ledger, held, told)) > 1:
        return told
    subject, attribute = held.line
    others = (*case.ledger.facts(subject=subject, attribute=attribute), *case.not_now())
    return min((each.begins for each in others if last <= each.begins < told), default=told)


def _retract(case: Case) -> Plan:
    """The plan of a retraction: end the versions that hold, and delete the pending facts."""
    candidate, ledger = case.candidate, case.ledger
    held = case.with_value(case.current(), candidate.value)
    waiting = case.with_value(case.waiting(), candidate.value)
    if not held and (candidate.value is not None or not waiting):
        held = case.ahead(candidate.value)  # it may be a plan that is given up
    if not held and not waiting:
        ending = None if candidate.value is None else case.to_end(candidate.value)
        if ending is not None and not case.overruled(ending):  # it is over, and the day is told
            return _end(case, ending)
        return Plan(became="ignored", reason="nothing of the kind is held")
    if several := _ambiguous(case, [*held, *waiting, *case.ahead(None)]):
        return Plan(became="rejected", reason=f"it does not say which of: {several}")
    if any(map(case.overruled, (*held, *waiting))):
        reason = f"the text of a {case.episode.role} takes back nothing that the user has said"
        return Plan(became="rejected", reason=reason)
    meant, end = (*waiting, *held), candidate.valid_to or case.episode.at
    over: list[Instance] = []
    for record in meant:
        given_up = case.episode.at < record.begins >= end
        if (given_up or candidate.never) and not record.pending:
            over += never_held(ledger, record)
        else:
            over += end_or_drop(ledger, record, end, candidate.latest)
    reason = "it never was so" if candidate.never else "it is over"
    return Plan(tuple(over), "retract", reason, tuple(record.id for record in meant))


def _answer(case: Case) -> Plan:
    """The plan of a yes or a no to pending facts. Only a user's answer counts."""
    if case.episode.role != "user":
        return Plan(became="rejected", reason=f"a {case.episode.role} gives no consent")
    meant = case.with_value(case.waiting(), case.candidate.value)
    waiting = [record for record in meant if not said_after(record, case.episode)]
    if not waiting:
        return Plan(became="ignored", reason="nothing of the kind waits")
    own = source(case.episode.message)  # what another user has stated is theirs to answer
    waiting = [r for r in waiting if r.source == own or not (r.source or "").startswith("user:")]
    if not waiting:
        return Plan(became="rejected", reason="another speaker's words wait for their own answer")
    if case.candidate.kind == "confirm" and (several := _ambiguous(case, waiting)):
        return Plan(became="rejected", reason=f"it does not say which of: {several}")
    ids = tuple(record.id for record in waiting)
    if case.candidate.kind == "reject":
        return Plan(tuple(map(deletion, waiting)), "retract", "refused by the user", ids)
    steps = [step for record in waiting for step in approval(case.ledger, record)]
    return Plan(tuple(steps), "new", "confirmed", ids)


def _ambiguous(case: Case, records: Sequence[Record]) -> str:
    """The several values that a candidate without a value may mean, as words; else empty."""
    if case.candidate.value is not None or len({canonical(r.value) for r in records}) < 2:
        return ""
    return ", ".join(str(record.value) for record in records)
