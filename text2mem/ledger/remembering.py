"""Complete the program of a request, which the planner compiles without the ledger.

- A note that it stores is read for facts of declared attributes.
- New words of an episode change the facts that were read out of it.
- An episode is deleted together with the facts that rest on it alone.
- A question that exact state answers gets these facts first.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from text2mem.compiled import Clarification, Option
from text2mem.errors import ServiceError
from text2mem.ir.exchange import exchanged
from text2mem.ir.journal import ABOUT
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
from text2mem.ledger.candidate import Candidate, labelling
from text2mem.ledger.episode import EPISODE, Episode, Message, encoding, speaker
from text2mem.ledger.extraction import NoReader, extract
from text2mem.ledger.holdings import sources, state_of
from text2mem.ledger.known import Known
from text2mem.ledger.ledger import Ledger
from text2mem.ledger.recall import recall
from text2mem.ledger.reconcile import Plan, reconcile
from text2mem.ledger.rights import RIGHTS, inherited, with_rights
from text2mem.ledger.versions import Instance
from text2mem.parser import dump
from text2mem.planner.effects import effect
from text2mem.planner.pasted import set_apart
from text2mem.program import Program
from text2mem.providers.base import Provider
from text2mem.running import previewing

_ASKED = "permanent"
"""The retention class of what somebody has asked to remember."""
_STATES = ("state", "correct", "retract")
_OPEN = ("current", "ahead", "pending")
"""The states of a fact that holds, will hold, or may come to count."""
_log = logging.getLogger("text2mem")
T = TypeVar("T")
Planned = Sequence[tuple[Candidate, Plan]]
"""The candidates of an episode, each with the plan for it."""


def carried_over(compiled: T, ledger: Ledger, provider: Provider | None) -> T | Program:
    """The outcome of a compilation, with its program, or the programs of its options, completed.
    Notes are stored without facts if the ``provider`` does not read conversations."""
    ledger = ledger.still()
    if isinstance(compiled, Program):
        return _completed(compiled, ledger, provider)
    if isinstance(compiled, Clarification):
        if (statement := _as_statement(compiled, ledger, provider)) is not None:
            return statement
        options = tuple(_option(option, ledger, provider) for option in compiled.options)
        return replace(compiled, options=options)
    return compiled


def _option(option: Option, ledger: Ledger, provider: Provider | None) -> Option:
    """An option with its program completed, and its effect described anew if that changed it."""
    program = _completed(option.program, ledger, provider)
    if program is option.program or not option.effect:
        return replace(option, program=program)
    preview = previewing(ledger.adapter, ledger.context)
    said, tz = program.utterance or "", ledger.context.tz
    described = effect(program.ops, preview, ledger.view, said, tz, option.label)
    return replace(option, program=program, effect=described)


def _completed(program: Program, ledger: Ledger, provider: Provider | None) -> Program:
    """The completed program; the same object if there is nothing to change."""
    ops: list[Op] = [_extended(_with_answers(op, program, ledger), ledger) for op in program.ops]
    added: list[Instance] = []
    # A request that brings a pasted text along is not read for facts.
    has_pasted_text = set_apart(program.utterance or "") is not None
    for index, op in enumerate(() if has_pasted_text else ops):
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
    """The Encode of a note (step number ``step``), as an episode if it states facts of declared
    attributes, and the steps for these."""
    if op.content.kind != "text" or "type" in op.attributes or op.lineage_parents:
        return op, ()
    message = Message(text=str(op.content.value), speaker=ledger.context.actor)
    episode, stated = _heard(str(StepRef(step)), message, ledger, provider)
    plans = _planned(stated, episode, ledger)
    rights = {key: value for key, value in dump(op)["args"].items() if key in RIGHTS}
    steps = _steps(plans, rights)
    if not steps and not any(plan.denied for _, plan in plans):
        return op, ()
    args = _encoding(episode, plans)["args"]
    facets = {**op.attributes.get("facets", {}), **args["facets"]}
    source = op.attributes.get("source", args["source"])
    attributes: Attributes = {**op.attributes, "type": EPISODE, "facets": facets, "source": source}
    # Observed episodes may expire by the retention class of their type. A requested note must not.
    if ledger.registry.knows_retention(_ASKED):
        attributes.setdefault("retention_policy", _ASKED)
    return replace(op, attributes=attributes), steps


def _as_statement(
    asked: Clarification, ledger: Ledger, provider: Provider | None
) -> Program | None:
    """The program that stores the utterance as an episode with its facts, if it is a statement that
    was read as a request to change a note, such as "I moved to Oslo"; None otherwise.

    It is one if all its candidates are about lines for which the ledger holds a value, and none is
    a retraction.
    """
    draft = asked.trace.draft if asked.trace else None
    if draft is None or not draft.steps or not all(step.traits.stores for step in draft.steps):
        return None  # a question that the reader asks stands
    if not asked.utterance or set_apart(asked.utterance) is not None:
        return None
    message = Message(text=asked.utterance, speaker=ledger.context.actor)
    episode, stated = _heard("$1", message, ledger, provider)
    held = [ledger.facts(subject=c.subject, attribute=c.attribute) for c in stated]
    if not stated or not all(held) or any(c.kind == "retract" for c in stated):
        return None
    plans = _planned(stated, episode, ledger)
    document = [_encoding(episode, plans), *_steps(plans)]
    program = Program.load(document, now=ledger.now(), tz=ledger.context.tz)
    return replace(program, utterance=asked.utterance, trace=asked.trace)


def _edited(op: Update, ledger: Ledger, provider: Provider | None) -> Iterator[Instance]:
    """Yield the steps for what only the new words of an episode state that an Update changes."""
    for record in _targets(op, ledger):
        facts = ledger.heard_in([record.id])[record.id]
        text = exchanged(record.text, op.replace) if op.replace else op.edits.get("text")
        if not facts or not text:
            continue
        message = replace(Episode.of(record, ledger.context.tz).message, text=text, at=None)
        episode, stated = _heard(record.id, message, ledger, provider)
        known = {(fact.subject, fact.attribute, str(fact.value)) for fact in facts}
        new = [c for c in stated if (c.subject, c.attribute, str(c.value)) not in known]
        plans = _planned(new, episode, ledger)
        yield from _steps(plans, inherited(record, ledger.context.actor))
        if any(plan.denied for _, plan in plans) and (label := _label(episode, plans)):
            facets = label["args"]["facets"]
            before = record.facets.get(ABOUT)
            about = sorted({*facets[ABOUT], *map(str, before if isinstance(before, list) else ())})
            yield {**label, "args": {**label["args"], "facets": {**facets, ABOUT: about}}}


def _heard(
    id_: str, message: Message, ledger: Ledger, provider: Provider | None
) -> tuple[Episode, Sequence[Candidate]]:
    """An episode that the caller's actor says now, and what it states about declared attributes,
    but for yes and no, if a model reads it. ``id_`` may be a step reference."""
    episode = Episode(
        id=id_, message=message, session=None, at=ledger.now(), tz=ledger.context.tz,
        owner=ledger.context.actor,
    )  # fmt: skip
    try:
        known = Known(ledger, episode)
        reading = extract(episode, known, provider, embedder=ledger.prepared.embedder)
    except NoReader:
        return episode, ()
    except ServiceError as error:  # the note is stored without facts
        _log.warning("kept without the facts that it may state: %s", error.message)
        return episode, ()
    # The tuned model is reliable only about the speaker, so its facts about others are left out.
    tuned = provider is not None and provider.profile.tuned
    only_subject = speaker(episode) if tuned else None
    return episode, [
        candidate for candidate in reading.candidates
        if candidate.kind in _STATES and ledger.registry.attribute(candidate.attribute).declared
        and only_subject in (None, candidate.subject)
    ]  # fmt: skip


def _planned(stated: Sequence[Candidate], episode: Episode, ledger: Ledger) -> Planned:
    return [(candidate, reconcile(candidate, episode, ledger)) for candidate in stated]


def _steps(plans: Planned, rights: Mapping[str, Any] | None = None) -> list[Instance]:
    """The steps of all plans, whose Encodes have these rights."""
    return [with_rights(step, rights or {}) for _, plan in plans for step in plan.program]


def _label(episode: Episode, plans: Planned) -> Instance | None:
    """The step that labels an episode with its subjects (``labelling``)."""
    return labelling(episode, [(candidate, plan.denied) for candidate, plan in plans])


def _encoding(episode: Episode, plans: Planned) -> dict[str, Any]:
    """The Encode of an episode, with its label among the facets."""
    encode = encoding(episode.message, session=None, at=episode.at)
    if label := _label(episode, plans):
        encode["args"]["facets"] |= label["args"]["facets"]
    return encode


# --- what is deleted -----------------------------------------------------------------------


def _extended(op: Op, ledger: Ledger) -> Op:
    """A Delete by ids, extended to the facts that rest only on deleted memories, and to the
    episodes all of whose facts are deleted; any other op as it is.

    Past facts stay. So does what is locked, or what the caller may not write.
    """
    if not isinstance(op, Delete) or not isinstance(op.target, ByIds):
        return op
    targets = _targets(op, ledger)
    deleted: dict[str, Record] = {record.id: record for record in targets}
    source_ids = {id_ for fact in targets if fact.is_fact for id_ in sources(fact)}
    related = {**deleted, **ledger.in_any_state(source_ids)}
    resting = ledger.resting_on([record.id for record in related.values() if not record.is_fact])
    now = ledger.now()
    open_facts = [fact for fact in resting if state_of(fact, now) in _OPEN]
    for fact in open_facts:
        if deleted.keys() >= set(sources(fact)):
            deleted[fact.id] = fact
    for episode in related.values():
        stated = [fact for fact in open_facts if episode.id in sources(fact)]
        if episode.type == EPISODE and stated and all(fact.id in deleted for fact in stated):
            deleted[episode.id] = episode
    more = [
        id_ for id_, record in deleted.items()
        if id_ not in op.target.ids and not record.deleted and not locked(record, now)
        and may_write(record, ledger.context)
    ]  # fmt: skip
    return replace(op, target=ByIds((*op.target.ids, *more))) if more else op


def _targets(op: TargetedOp, ledger: Ledger) -> Sequence[Record]:
    """The memories that an op targets by ids; none for another target."""
    ids = op.target.ids if isinstance(op.target, ByIds) else ()
    return tuple(ledger.find([id_ for id_ in ids if isinstance(id_, str)]).values())


# --- what is asked -------------------------------------------------------------------------


def _with_answers(op: Op, program: Program, ledger: Ledger) -> Op:
    """The only read of a program, with the facts in front that answer exactly; else the op."""
    if not isinstance(op, Retrieve | Summarize) or len(program.ops) > 1 or not program.utterance:
        return op
    if op.as_of is not None or op.known_at is not None or not isinstance(op.target, ByIds):
        return op
    recalled = recall(ledger, program.utterance)
    if recalled.found != "exact" or recalled.attribute is None or recalled.mode != "current":
        return op
    exact = [fact.id for fact in recalled.facts]
    covered = _covered_by(recalled.facts, _targets(op, ledger), ledger)
    rest = [id_ for id_ in op.target.ids if id_ not in exact and id_ not in covered]
    return replace(op, target=ByIds((*exact, *rest)))


def _covered_by(
    answers: Sequence[Record], records: Sequence[Record], ledger: Ledger
) -> frozenset[str]:
    """The ids of the records that state only facts of the answers' subjects and attributes."""
    lines = {(fact.subject, fact.attribute) for fact in answers}
    facts_of = ledger.heard_in([record.id for record in records if not record.is_fact])
    stated = {record.id: [record] if record.is_fact else facts_of[record.id] for record in records}
    return frozenset(
        id_ for id_, facts in stated.items()
        if facts and all((fact.subject, fact.attribute) in lines for fact in facts)
    )  # fmt: skip
