"""Forgetting: everything that was derived from a subject or an episode, erased for good.

It is one program of the language: a hard Delete of the memories that were found, with a cascade.
Nothing that an erased version superseded comes back (docs/forgetting.md).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from text2mem.errors import ConfigurationError
from text2mem.executor.authorise import WRITE_CAP
from text2mem.executor.executor import ERASE_PENDING
from text2mem.ir.record import AsJson, Record, as_id, as_words
from text2mem.ir.result import Failure, ProgramResult
from text2mem.ledger.episode import EPISODE
from text2mem.ledger.holdings import held_on, in_any_state, in_order, sources
from text2mem.ledger.ledger import Ledger
from text2mem.ledger.naming_turns import naming
from text2mem.ledger.working import tasks

_NAMES_ONLY = "it names the subject, of which nothing was read"
_NAMED = 10
"""How many facts a reason names."""


@dataclass(frozen=True, slots=True)
class Kept(AsJson):
    """A memory that stays although it has to do with what was forgotten, and why."""

    id: str
    what: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten(AsJson):
    """What was erased, by id; it quotes none of it.

    ``facts`` counts every version. ``lost_source`` are facts that stay and have lost a source.
    ``erase_pending``: the rows are gone, and the file still holds their bytes until a tick.
    ``error`` says why nothing was erased.
    """

    ok: bool = True
    dry_run: bool = False
    facts: tuple[str, ...] = ()
    episodes: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    kept: tuple[Kept, ...] = ()
    lost_source: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    erase_pending: bool = False
    trace_id: str | None = None
    error: Failure | None = None


@dataclass(slots=True)
class _Doomed:
    """What is to be erased, by id; what is kept; and the facts that lose a source."""

    rows: dict[str, Record] = field(default_factory=dict)
    kept: list[Kept] = field(default_factory=list)
    losing: dict[str, Record] = field(default_factory=dict)

    def add(self, records: Iterable[Record]) -> None:
        self.rows.update((record.id, record) for record in records)


def forget(
    ledger: Ledger,
    *,
    subject: str | None = None,
    episode: str | None = None,
    thorough: bool = False,
) -> Forgotten:
    """Erase a subject or an episode, with all that was derived from it; a dry context shows it.

    ``thorough`` takes every turn that names the subject or that it has said, whatever was read out
    of it, with the facts about others that rest on these alone. Else they stay, and are listed.
    What the store refuses comes back as a report with ``ok`` false. Raises ConfigurationError where
    neither is named, or both are.
    """
    subject = None if subject is None else as_words("subject", subject)
    episode = None if episode is None else as_id(episode)
    if subject and subject.strip() and episode is None:
        doomed: _Doomed | Failure = _of_subject(ledger, subject, thorough=thorough)
    elif episode and episode.strip() and subject is None:
        doomed = _of_episode(ledger, episode)
    else:
        raise ConfigurationError(
            "forgetting takes a subject or an episode", hint="name exactly one of them"
        )
    report = Forgotten(dry_run=ledger.context.dry_run)
    if isinstance(doomed, Failure):
        return replace(report, ok=False, error=doomed)
    family = _family(ledger, doomed.rows)
    unread = () if subject is None else _unread(ledger, family)
    report = replace(report, kept=tuple(sorted(doomed.kept, key=lambda each: int(each.id))))
    if not doomed.rows:
        return replace(report, warnings=unread)
    done = ledger.run(*_program(ledger, doomed.rows, family))
    if not done.ok:
        return replace(report, ok=False, error=done.error, trace_id=done.trace_id)
    return _erased(report, done, family, doomed, unread)


def _unread(ledger: Ledger, doomed: Collection[str]) -> tuple[str, ...]:
    """A warning where the queue holds other turns that may yet say something of a subject."""
    held = [task for dead in (False, True) for task in tasks(ledger, dead=dead, limit=None)]
    unread = sum(task.episode not in doomed for task in held)
    if not unread:
        return ()
    return (
        f"unread turns in the queue: {unread}; what they say of the subject is not known yet: "
        "read them (`text2mem worker`), and forget it again",
    )


def _of_subject(ledger: Ledger, subject: str, *, thorough: bool) -> _Doomed:
    """The subject's facts, those whose value it is, its memories, the episodes that stated them,
    and turns that name it and were not read.
    """
    held = held_on(ledger, subject)
    doomed = _Doomed()
    doomed.add((*held.facts, *held.pointing, *held.others))
    known = {record.id for record in (*held.episodes, *doomed.rows.values())}
    named = list(naming(ledger, subject, held.pointing, known))
    stated = {record.id: record for record in held.episodes}
    stated |= {each.record.id: each.record for each in named if each.unread or thorough}
    resting = ledger.resting_on([*stated, *(each.record.id for each in named)])
    here = _existing(ledger, resting)
    by_episode: dict[str, list[Record]] = defaultdict(list)
    for fact in resting:
        for id_ in sources(fact) if fact.id not in doomed.rows else ():
            by_episode[id_].append(fact)
    for episode in in_order(stated.values()):
        rest = by_episode[episode.id]
        gone = {*(stated if thorough else (episode.id,)), *doomed.rows}
        alone = [f for f in rest if not f.deleted and not _remaining(f, gone, here)]
        if alone and not thorough:
            reason = f"of others, {_facts_rest([fact.id for fact in alone])} on it alone"
            doomed.kept.append(Kept(episode.id, "episode", reason))
        else:
            doomed.add([episode, *alone])
            doomed.losing.update((fact.id, fact) for fact in rest)
    for each in named:
        if not each.named or each.record.id in stated:
            continue
        rest = by_episode[each.record.id]
        if rest and all(each.may_tell(fact) for fact in rest):
            # What names the subject and was taken for another's is the subject's as likely as not.
            doomed.add([each.record, *rest])
        else:
            doomed.kept.append(Kept(each.record.id, "episode", _NAMES_ONLY))
    return doomed


def _of_episode(ledger: Ledger, id_: str) -> _Doomed | Failure:
    """The episode, with what was made of it, and the facts that rest on that alone."""
    found = in_any_state(ledger, [id_])
    if any(record.is_fact for record in found.values()):
        hint = "Delete erases a single fact"
        return Failure("not-an-episode", f"memory {id_} is a fact", hint=hint)
    gone = {id_, *_family(ledger, found)}
    rest = ledger.resting_on(sorted(gone))
    if not found and not rest:
        hint = "`text2mem show ID` looks for one"
        return Failure("not-found", f"there is no episode {id_}", hint=hint)
    doomed = _Doomed(dict(found))
    here = _existing(ledger, rest)
    for fact in rest:
        others = _remaining(fact, gone, here)
        if others:
            heard = f"it was heard in {', '.join(others)}, too"
            doomed.kept.append(Kept(fact.id, "fact", heard))
            doomed.losing[fact.id] = fact
        else:
            doomed.add([fact])
    return doomed


def _existing(ledger: Ledger, facts: Iterable[Record]) -> Collection[str]:
    """The sources of facts that exist: episodes in the store, and ids of other systems."""
    named = {id_ for fact in facts for id_ in sources(fact)}
    own = {id_ for id_ in named if id_.isascii() and id_.isdecimal()}
    return (named - own) | in_any_state(ledger, own).keys()


def _remaining(fact: Record, gone: Collection[str], here: Collection[str]) -> list[str]:
    """The sources of a fact that exist and are not to be erased.

    A statement without an episode, such as a fact written by hand, is a source as well.
    """
    left = [id_ for id_ in sources(fact) if id_ in here and id_ not in gone]
    by_hand = any(entry.get("episode") is None for entry in fact.sources)
    return [*left, "what names no episode"] if by_hand else left


def _family(ledger: Ledger, rows: Mapping[str, Record]) -> dict[str, Record]:
    """The memories, and all that hold their content: their descendants by lineage."""
    family = dict(rows)
    fresh: Sequence[Record] = tuple(rows.values())
    while fresh:
        asked = [child for row in fresh for child in row.lineage_children]
        found = in_any_state(ledger, (id_ for id_ in asked if id_ not in family))
        fresh = [c for c in found.values() if not family.keys().isdisjoint(c.lineage_parents)]
        family.update((child.id, child) for child in fresh)
    return family


def _program(
    ledger: Ledger, rows: Mapping[str, Record], family: Mapping[str, Record]
) -> list[dict[str, Any]]:
    """The steps that erase the memories: pairs of a Retrieve and a Delete of what it found.

    A Delete by reference counts as wide, unlike one by ids: the caller has named none of them.
    Descendants go by the cascade. Where the caller has confirmed it, or in a dry run, more memories
    than a step may change are deleted in several.
    """
    below = {
        child for row in family.values() for child in row.lineage_children
        if child in family and row.id in family[child].lineage_parents and child != row.id
    }  # fmt: skip
    ids = [record.id for record in in_order(rows.values())]
    roots = [id_ for id_ in ids if id_ not in below] or ids
    allowed = ledger.context.confirmed or ledger.context.dry_run
    size = WRITE_CAP // 2 if allowed and len(family) > WRITE_CAP else max(len(roots), 1)
    steps: list[dict[str, Any]] = []
    for start in range(0, len(roots), size):
        found = {"include": ["id"], "include_archived": True, "include_deleted": True}
        chosen = {"ids": roots[start : start + size]}
        steps.append({"stage": "RET", "op": "Retrieve", "target": chosen, "args": found})
        hard = {"soft": False, "cascade": True, "reason": "forgotten"}
        target = {"ids": [f"${len(steps)}"]}
        steps.append({"stage": "STO", "op": "Delete", "target": target, "args": hard})
    return steps


def _erased(
    report: Forgotten, done: ProgramResult, family: Mapping[str, Record], doomed: _Doomed,
    unread: tuple[str, ...],
) -> Forgotten:  # fmt: skip
    """The report with what a program that went well has erased."""
    deletes = [result for result in done.results if result.op == "Delete"]
    gone = sorted({id_ for result in deletes for id_ in result.affected}, key=int)
    warnings = tuple(dict.fromkeys(note for result in deletes for note in result.warnings))

    def of_kind(kind: str) -> tuple[str, ...]:
        return tuple(id_ for id_ in gone if _kind(family.get(id_)) == kind)

    return replace(
        report, facts=of_kind("facts"), episodes=of_kind("episodes"), others=of_kind("others"),
        lost_source=tuple(sorted(doomed.losing.keys() - gone, key=int)),
        erase_pending=ERASE_PENDING in warnings, warnings=(*warnings, *unread),
        trace_id=None if done.dry_run else done.trace_id,
    )  # fmt: skip


def _kind(record: Record | None) -> str:
    if record is not None and record.is_fact:
        return "facts"
    return "episodes" if record is not None and record.type == EPISODE else "others"


def _facts_rest(ids: Sequence[str]) -> str:
    if len(ids) == 1:
        return f"fact {ids[0]} rests"
    more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
    return f"facts {', '.join(ids[:_NAMED])}{more} rest"
