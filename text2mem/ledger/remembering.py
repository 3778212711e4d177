"""The program of a request, completed by what it means for facts.

A request is compiled without the ledger. Here its program is gone through once more: a note that it
keeps is read for declared facts; new words of an episode change the facts that were heard in it; an
episode is deleted together with the facts that rest on it alone; and a question that exact state
answers gets these facts first. The result is a program like any other: previewed, run and undone as
one.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from text2mem.clarification import Clarification, Option
from text2mem.errors import ServiceError
from text2mem.ir.exchange import exchanged
from text2mem.ir.ops import (
    Attributes,
    ByIds,
    Delete,
    Encode,
    Op,
    Retrieve,
    StepRef,
    Summarize,
    TargetedOp,
    Update,
)
from text2mem.ir.record import Record, locked
from text2mem.ir.rights import may_write
from text2mem.ledger.about import ABOUT, labelling
from text2mem.ledger.candidate import Candidate
from text2mem.ledger.episode import EPISODE, Episode, Message, encoding, speaker
from text2mem.ledger.extraction import NoReader, extract
from text2mem.ledger.holdings import in_any_state, sources, state_of
from text2mem.ledger.known import Known
from text2mem.ledger.ledger import Ledger
from text2mem.ledger.recall import recall
from text2mem.ledger.reconcile import Instance, Plan, reconcile
from text2mem.ledger.rights import RIGHTS, inherited, with_rights
from text2mem.parser import dump
from text2mem.pipeline import previewing
from text2mem.planner.effects import effect
from text2mem.planner.pasted import set_apart
from text2mem.program import Program
from text2mem.providers.base import Provider

_ASKED = "permanent"
"""The retention class of what somebody has asked to keep."""
_STATES = ("state", "correct", "retract")
_OPEN = ("current", "ahead", "pending")
"""The states of a fact that is so, is to be, or may come to count."""


_log = logging.getLogger("text2mem")
T = TypeVar("T")
Planned = Sequence[tuple[Candidate, Plan]]
"""The candidates of a text, each with the plan for it."""


def carried_over(compiled: T, ledger: Ledger, provider: Provider | None) -> T | Program:
    """The outcome of a compilation with its program, or those of its options, completed for facts.

    ``provider`` reads the notes that are kept; where it is no model that reads conversations, they
    are not read for facts.
    """
    ledger = ledger.still()
    if isinstance(compiled, Program):
        return _completed(compiled, ledger, provider)
    if isinstance(compiled, Clarification):
        if (changing := _as_statement(compiled, ledger, provider)) is not None:
            return changing
        options = tuple(_option(each, ledger, provider) for each in compiled.options)
        return replace(compiled, options=options)
    return compiled


def _option(option: Option, ledger: Ledger, provider: Provider | None) -> Option:
    program = _completed(option.program, ledger, provider)
    if program is option.program or not option.effect:
        return replace(option, program=program)
    preview = previewing(ledger.adapter, ledger.context)
    said, tz = program.utterance or "", ledger.context.tz
    told = effect(program.ops, preview, ledger.view, said, tz, option.label)
    return replace(option, program=program, effect=told)


def _completed(program: Program, ledger: Ledger, provider: Provider | None) -> Program:
    ops: list[Op] = [_extended(_with_answers(op, program, ledger), ledger) for op in program.ops]
    added: list[Instance] = []
    brought = set_apart(program.utterance or "") is not None
    for index, op in enumerate(() if brought else ops):  # a text that is passed on states nothing
        if isinstance(op, Encode):
            ops[index], facts = _as_episode(op, index + 1, ledger, provider)
            added += facts
        elif isinstance(op, Update):
            added += _edited(op, ledger, provider)
    if added:
        document = [*map(dump, ops), *added]
        ops = list(Program.load(document, now=ledger.now(), tz=ledger.context.tz).ops)
    return program if tuple(ops) == program.ops else replace(program, ops=tuple(ops))


# --- what is kept --------------------------------------------------------------------------


def _as_episode(
    op: Encode, step: int, ledger: Ledger, provider: Provider | None
) -> tuple[Encode, Sequence[Instance]]:
    """The Encode of a note, as an episode where it states declared facts, and their steps."""
    if op.content.kind != "text" or "type" in op.attributes or op.lineage_parents:
        return op, ()
    message = Message(text=str(op.content.value), speaker=ledger.context.actor)
    episode = _episode(str(StepRef(step)), message, ledger)
    plans = _planned(_stated(episode, ledger, provider), episode, ledger)
    rights = {key: value for key, value in dump(op)["args"].items() if key in RIGHTS}
    steps = [with_rights(each, rights) for each in _steps(plans)]
    if not steps and not any(plan.denied for _, plan in plans):
        return op, ()
    said = _encoding(episode, plans)["args"]
    facets = {**op.attributes.get("facets", {}), **said["facets"]}
    kept = op.attributes.get("source", said["source"])
    attributes: Attributes = {**op.attributes, "type": EPISODE, "facets": facets, "source": kept}
    if ledger.registry.knows_retention(_ASKED):  # a turn ends some day, what was asked for does not
        attributes.setdefault("retention_policy", _ASKED)
    return replace(op, attributes=attributes), steps


def _as_statement(
    asked: Clarification, ledger: Ledger, provider: Provider | None
) -> Program | None:
    """The program of a statement that was taken for a request to change a note; None otherwise.

    "I moved to Oslo" states another value of a fact of the ledger: it is kept as an episode.
    """
    draft = asked.trace.draft if asked.trace else None
    if (
        not asked.utterance
        or set_apart(asked.utterance) is not None
        or draft is None
        or not all(each.traits.stores for each in draft.steps)
    ):
        return None
    message = Message(text=asked.utterance, speaker=ledger.context.actor)
    episode = _episode("$1", message, ledger)
    stated = _stated(episode, ledger, provider)
    held = [ledger.facts(subject=each.subject, attribute=each.attribute) for each in stated]
    if not stated or not all(held) or any(each.kind == "retract" for each in stated):
        return None
    plans = _planned(stated, episode, ledger)
    document = [_encoding(episode, plans), *_steps(plans)]
    made = Program.load(document, now=ledger.now(), tz=ledger.context.tz)
    return replace(made, utterance=asked.utterance, trace=asked.trace)


def _edited(op: Update, ledger: Ledger, provider: Provider | None) -> Iterator[Instance]:
    """The steps for the facts that were heard in an episode whose words an Update changes."""
    for record in _named(op, ledger):
        held = ledger.heard_in([record.id])[record.id]
        text = exchanged(record.text, op.replace) if op.replace else op.edits.get("text")
        if not held or not text:
            continue
        message = replace(Episode.of(record, ledger.context.tz).message, text=text, at=None)
        episode = _episode(record.id, message, ledger)
        there = {(fact.subject, fact.attribute, str(fact.value)) for fact in held}
        stated = [
            each for each in _stated(episode, ledger, provider)
            if (each.subject, each.attribute, str(each.value)) not in there
        ]  # fmt: skip
        rights = inherited(record, ledger.context.actor)
        plans = _planned(stated, episode, ledger)
        yield from (with_rights(step, rights) for step in _steps(plans))
        if any(plan.denied for _, plan in plans) and (label := _label(episode, plans)):
            facets = label["args"]["facets"]
            told = record.facets.get(ABOUT)
            about = sorted({*facets[ABOUT], *map(str, told if isinstance(told, list) else ())})
            yield {**label, "args": {**label["args"], "facets": {**facets, ABOUT: about}}}


def _episode(id_: str, message: Message, ledger: Ledger) -> Episode:
    return Episode(
        id=id_, message=message, session=None, at=ledger.now(), tz=ledger.context.tz,
        owner=ledger.context.actor,
    )  # fmt: skip


def _stated(episode: Episode, ledger: Ledger, provider: Provider | None) -> list[Candidate]:
    """The candidates of declared attributes that a text states."""
    try:
        known = Known(ledger, episode)
        reading = extract(episode, known, provider, embedder=ledger.prepared.embedder)
    except NoReader:
        return []
    except ServiceError as error:  # what is to be kept is kept, whoever is down
        _log.warning("kept without the facts that it may state: %s", error.message)
        return []
    # A small reader is mostly right about who speaks, and mostly wrong about others.
    own = speaker(episode) if provider is not None and provider.profile.tuned else None
    return [
        each for each in reading.candidates
        if each.kind in _STATES and ledger.registry.attribute(each.attribute).declared
        and own in (None, each.subject)
    ]  # fmt: skip


def _planned(stated: Sequence[Candidate], episode: Episode, ledger: Ledger) -> Planned:
    return [(each, reconcile(each, episode, ledger)) for each in stated]


def _steps(plans: Planned) -> list[Instance]:
    return [step for _, plan in plans for step in plan.program]


def _label(episode: Episode, plans: Planned) -> Instance | None:
    """The step that labels an episode with its subjects, and withholds it where one is denied."""
    return labelling(episode, [(candidate, plan.denied) for candidate, plan in plans])


def _encoding(episode: Episode, plans: Planned) -> dict[str, Any]:
    """The Encode of an episode, with its subjects."""
    made = encoding(episode.message, session=None, at=episode.at)
    if told := _label(episode, plans):
        made["args"]["facets"] |= told["args"]["facets"]
    return made


# --- what is deleted -----------------------------------------------------------------------


def _extended(op: Op, ledger: Ledger) -> Op:
    """A Delete of episodes, extended to the facts that rest on them alone; one of facts, to the
    episodes that state nothing else."""
    if not isinstance(op, Delete) or not isinstance(op.target, ByIds):
        return op
    named = _named(op, ledger)
    found: dict[str, Record] = {record.id: record for record in named}
    told = {id_ for fact in named if fact.is_fact for id_ in sources(fact)}
    family = {**found, **in_any_state(ledger, told)}
    resting = ledger.resting_on([record.id for record in family.values() if not record.is_fact])
    now = ledger.now()
    open_ = [fact for fact in resting if state_of(fact, now) in _OPEN]
    for fact in open_:
        if found.keys() >= set(sources(fact)):
            found[fact.id] = fact
    for episode in family.values():
        stated = [fact for fact in open_ if episode.id in sources(fact)]
        if episode.type == EPISODE and stated and all(fact.id in found for fact in stated):
            found[episode.id] = episode
    more = [
        id_ for id_, record in found.items()
        if id_ not in op.target.ids and not record.deleted and not locked(record, now)
        and may_write(record, ledger.context)
    ]  # fmt: skip
    return replace(op, target=ByIds((*op.target.ids, *more))) if more else op


def _named(op: TargetedOp, ledger: Ledger) -> Sequence[Record]:
    """The memories that an op names by their ids."""
    if not isinstance(op.target, ByIds):
        return ()
    return tuple(ledger.find([id_ for id_ in op.target.ids if isinstance(id_, str)]).values())


# --- what is asked -------------------------------------------------------------------------


def _with_answers(op: Op, program: Program, ledger: Ledger) -> Op:
    """The read of a question, with the facts that answer it exactly before the other memories."""
    if not isinstance(op, Retrieve | Summarize) or len(program.ops) > 1 or not program.utterance:
        return op
    if op.as_of is not None or op.known_at is not None or not isinstance(op.target, ByIds):
        return op
    found = recall(ledger, program.utterance)
    if found.found != "exact" or found.attribute is None or found.mode != "current":
        return op
    exact = [fact.id for fact in found.facts]
    over = _told_by(_named(op, ledger), found.facts, ledger)
    rest = [id_ for id_ in op.target.ids if id_ not in exact and id_ not in over]
    return replace(op, target=ByIds((*exact, *rest)))


def _told_by(
    records: Sequence[Record], answers: Sequence[Record], ledger: Ledger
) -> frozenset[str]:
    """The ids of memories that tell only of the same subject and attribute as the answers."""
    lines = {(fact.subject, fact.attribute) for fact in answers}
    heard = ledger.heard_in([record.id for record in records if not record.is_fact])
    told = {record.id: [record] if record.is_fact else heard[record.id] for record in records}
    return frozenset(
        id_ for id_, facts in told.items()
        if facts and all((fact.subject, fact.attribute) in lines for fact in facts)
    )  # fmt: skip
