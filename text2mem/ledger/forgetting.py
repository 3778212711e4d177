"""Forget a subject or an episode: erase it permanently, with everything that was derived from it.

It is one program: a hard Delete, with a cascade, of what was found (docs/forgetting.md).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from text2mem.adapters.transactions import transact
from text2mem.errors import ConfigurationError
from text2mem.executor.authorise import WRITE_CAP
from text2mem.executor.frame import ERASE_PENDING, finish_erasures
from text2mem.ir.arguments import as_id, as_words
from text2mem.ir.record import AsJson, Record
from text2mem.ir.result import Failure, ProgramResult
from text2mem.ledger.episode import EPISODE
from text2mem.ledger.holdings import held_on, in_order, sources
from text2mem.ledger.ledger import Ledger
from text2mem.ledger.naming_turns import naming
from text2mem.ledger.working import tasks

_NAMES_ONLY = "it names the subject, of which nothing was read"
_NAMED = 10
"""The most ids of facts in a reason."""


@dataclass(frozen=True, slots=True)
class Kept(AsJson):
    """A memory that is kept although it is related to what was forgotten, and the reason."""

    id: str
    what: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten(AsJson):
    """The report: the ids of what was erased, without any of its content."""

    ok: bool = True
    dry_run: bool = False
    facts: tuple[str, ...] = ()
    episodes: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    """What is neither a fact nor an episode."""
    kept: tuple[Kept, ...] = ()
    lost_source: tuple[str, ...] = ()
    """Facts that are kept and have lost a source."""
    warnings: tuple[str, ...] = ()
    erase_pending: bool = False
    """Whether the file still holds erased bytes, until a tick."""
    trace_id: str | None = None
    error: Failure | None = None
    """Why nothing was erased."""


@dataclass(slots=True)
class _Selected:
    rows: dict[str, Record] = field(default_factory=dict)
    """The memories to erase, by id."""
    kept: list[Kept] = field(default_factory=list)
    losing: set[str] = field(default_factory=set)
    """The facts that lose a source; some of them may be erased, too."""

    def add(self, records: Iterable[Record]) -> None:
        """Add memories to erase."""
        self.rows.update((record.id, record) for record in records)


def forget(
    ledger: Ledger,
    *,
    subject: str | None = None,
    episode: str | None = None,
    taken_back: bool = False,
    thorough: bool = False,
) -> Forgotten:
    """Erase a subject or an episode, with everything that was derived from it; or the memories
    that an undo has removed (``taken_back``), which the journal keeps so that they can come back.

    Only the local user erases what was taken back, and has to confirm it. ``thorough`` erases
    every turn that names the subject or that the subject has said, and the facts about others that
    rest on these turns alone. Otherwise such a turn is erased only if nothing was read out of it,
    or if its facts may be the subject's; else it is listed as kept.

    With a dry context the report shows what would be erased. If the store refuses, the report has
    ``ok`` false. Raise ConfigurationError unless exactly one of the three is named.
    """
    subject = None if subject is None else as_words("subject", subject)
    episode = None if episode is None else as_id(episode)
    named = [each for each in (subject, episode) if each is not None]
    if len(named) + taken_back != 1 or not all(map(str.strip, named)):
        raise ConfigurationError(
            "forgetting takes a subject, an episode or what was taken back",
            hint="name exactly one of them",
        )
    if thorough and taken_back:
        raise ConfigurationError(
            "what was taken back is not forgotten by its turns", hint="leave out thorough"
        )
    if subject is not None:
        selected: _Selected | Failure = _of_subject(ledger, subject, thorough=thorough)
    elif episode is not None:
        selected = _of_episode(ledger, episode)
    else:
        return _forget_taken_back(ledger)
    report = Forgotten(dry_run=ledger.context.dry_run)
    if isinstance(selected, Failure):
        return replace(report, ok=False, error=selected)
    family = _family(ledger, selected.rows)
    unread = () if subject is None else _unread(ledger, family)
    report = replace(report, kept=tuple(sorted(selected.kept, key=lambda kept: int(kept.id))))
    if not selected.rows:
        return replace(report, warnings=unread)
    done = ledger.run(*_program(ledger, selected.rows, family))
    if not done.ok:
        return replace(report, ok=False, error=done.error, trace_id=done.trace_id)
    return _erased(report, done, family, selected, unread)


def _forget_taken_back(ledger: Ledger) -> Forgotten:
    """Erase the journal's values of memories that an undo has removed; ``others`` has their ids."""
    context, adapter = ledger.context, ledger.adapter
    report = Forgotten(dry_run=context.dry_run)
    if not context.is_local_user:
        why = "what was taken back may be anybody's: only the local user erases it"
        return replace(report, ok=False, error=Failure("denied", why))
    if not (context.confirmed or context.dry_run):
        why = "this erases for good what an undo has taken back"
        hint = "look at a dry run, then confirm"
        return replace(report, ok=False, error=Failure("needs-confirmation", why, hint=hint))

    ids = tuple(
        transact(adapter, lambda: adapter.erase_taken_back(context), keep=not context.dry_run)
    )
    warnings = finish_erasures(adapter, context, forgets=bool(ids))
    pending = ERASE_PENDING in warnings
    return replace(report, others=ids, erase_pending=pending, warnings=warnings)


def _unread(ledger: Ledger, selected: Collection[str]) -> tuple[str, ...]:
    """A warning if the queue has other turns than the selected ones, which nobody has read."""
    queued = [task for dead in (False, True) for task in tasks(ledger, dead=dead, limit=None)]
    unread = sum(task.episode not in selected for task in queued)
    warning = (
        f"unread turns in the queue: {unread}; what they say of the subject is not known yet: "
        "read them (`text2mem worker`), and forget it again"
    )
    return (warning,) if unread else ()


def _of_subject(ledger: Ledger, subject: str, *, thorough: bool) -> _Selected:
    """Select the facts about a subject, the facts whose value it is, its other memories, the
    episodes that state these facts, and unread turns that name it."""
    held = held_on(ledger, subject)
    selected = _Selected()
    selected.add((*held.facts, *held.pointing, *held.others))
    known = {record.id for record in (*held.episodes, *selected.rows.values())}
    named = list(naming(ledger, subject, held.pointing, known))
    stated = {record.id: record for record in held.episodes}
    stated |= {turn.record.id: turn.record for turn in named if turn.unread or thorough}
    resting = ledger.resting_on([*stated, *(turn.record.id for turn in named)])
    existing = _existing(ledger, resting)
    by_episode: dict[str, list[Record]] = defaultdict(list)
    for fact in resting:
        for id_ in sources(fact) if fact.id not in selected.rows else ():
            by_episode[id_].append(fact)
    for episode in in_order(stated.values()):
        of_others = by_episode[episode.id]
        erased = {*(stated if thorough else (episode.id,)), *selected.rows}
        alone = [f for f in of_others if not f.deleted and not _remaining(f, erased, existing)]
        if alone and not thorough:
            reason = f"of others, {_facts_rest([fact.id for fact in alone])} on it alone"
            selected.kept.append(Kept(episode.id, "episode", reason))
        else:
            selected.add([episode, *alone])
            selected.losing.update(fact.id for fact in of_others)
    for turn in named:
        if not turn.named or turn.record.id in stated:
            continue
        of_others = by_episode[turn.record.id]
        if of_others and all(map(turn.may_tell, of_others)):
            # These facts may have been read as another's by mistake, and be the subject's.
            selected.add([turn.record, *of_others])
        else:
            selected.kept.append(Kept(turn.record.id, "episode", _NAMES_ONLY))
    return selected


def _of_episode(ledger: Ledger, id_: str) -> _Selected | Failure:
    """Select an episode, its descendants by lineage, and the facts that rest on these alone; a
    Failure if the id is a fact's or is unknown."""
    found = ledger.in_any_state([id_])
    if any(record.is_fact for record in found.values()):
        hint = "Delete erases a single fact"
        return Failure("not-an-episode", f"memory {id_} is a fact", hint=hint)
    erased = {id_, *_family(ledger, found)}
    resting = ledger.resting_on(sorted(erased))
    if not found and not resting:
        hint = "`text2mem show ID` looks for one"
        return Failure("not-found", f"there is no episode {id_}", hint=hint)
    selected = _Selected(dict(found))
    existing = _existing(ledger, resting)
    for fact in resting:
        others = _remaining(fact, erased, existing)
        if others:
            reason = f"it was heard in {', '.join(others)}, too"
            selected.kept.append(Kept(fact.id, "fact", reason))
            selected.losing.add(fact.id)
        else:
            selected.add([fact])
    return selected


def _existing(ledger: Ledger, facts: Iterable[Record]) -> Collection[str]:
    """The ids of the facts' sources that exist: memories of the store, and ids of other systems."""
    named = {id_ for fact in facts for id_ in sources(fact)}
    of_store = {id_ for id_ in named if id_.isascii() and id_.isdecimal()}
    return (named - of_store) | ledger.in_any_state(of_store).keys()


def _remaining(fact: Record, erased: Collection[str], existing: Collection[str]) -> list[str]:
    """The sources of a fact that exist and are not erased, and that it was written by hand."""
    left = [id_ for id_ in sources(fact) if id_ in existing and id_ not in erased]
    by_hand = any(entry.get("episode") is None for entry in fact.sources)
    return [*left, "what names no episode"] if by_hand else left


def _family(ledger: Ledger, rows: Mapping[str, Record]) -> dict[str, Record]:
    """The memories and their descendants by lineage, which hold their content, too."""
    family = dict(rows)
    fresh: Sequence[Record] = tuple(rows.values())
    while fresh:
        children = [child for row in fresh for child in row.lineage_children]
        found = ledger.in_any_state(id_ for id_ in children if id_ not in family)
        fresh = [c for c in found.values() if not family.keys().isdisjoint(c.lineage_parents)]
        family.update((child.id, child) for child in fresh)
    return family


def _program(
    ledger: Ledger, rows: Mapping[str, Record], family: Mapping[str, Record]
) -> list[dict[str, Any]]:
    """The steps that erase the memories: pairs of a Retrieve and a Delete of what it found, which
    may need a confirmation, since the caller has named none of these memories.

    Descendants are erased by the cascade. More memories than one step may change are spread over
    several steps, if the context is confirmed or dry.
    """
    descendants = {
        child for row in family.values() for child in row.lineage_children
        if child in family and row.id in family[child].lineage_parents and child != row.id
    }  # fmt: skip
    ids = [record.id for record in in_order(rows.values())]
    roots = [id_ for id_ in ids if id_ not in descendants] or ids
    allowed = ledger.context.confirmed or ledger.context.dry_run
    size = WRITE_CAP // 2 if allowed and len(family) > WRITE_CAP else max(len(roots), 1)
    steps: list[dict[str, Any]] = []
    for start in range(0, len(roots), size):
        args = {"include": ["id"], "include_archived": True, "include_deleted": True}
        chosen = {"ids": roots[start : start + size]}
        steps.append({"stage": "RET", "op": "Retrieve", "target": chosen, "args": args})
        hard = {"soft": False, "cascade": True, "reason": "forgotten"}
        reference = {"ids": [f"${len(steps)}"]}
        steps.append({"stage": "STO", "op": "Delete", "target": reference, "args": hard})
    return steps


def _erased(
    report: Forgotten, done: ProgramResult, family: Mapping[str, Record], selected: _Selected,
    unread: tuple[str, ...],
) -> Forgotten:  # fmt: skip
    deletes = [result for result in done.results if result.op == "Delete"]
    erased = sorted({id_ for result in deletes for id_ in result.affected}, key=int)
    warnings = tuple(dict.fromkeys(note for result in deletes for note in result.warnings))
    kinds = {
        id_: "facts" if record.is_fact else "episodes" if record.type == EPISODE else "others"
        for id_, record in family.items()
    }

    def of_kind(kind: str) -> tuple[str, ...]:
        return tuple(id_ for id_ in erased if kinds.get(id_, "others") == kind)

    return replace(
        report, facts=of_kind("facts"), episodes=of_kind("episodes"), others=of_kind("others"),
        lost_source=tuple(sorted(selected.losing.difference(erased), key=int)),
        erase_pending=ERASE_PENDING in warnings, warnings=(*warnings, *unread),
        trace_id=None if done.dry_run else done.trace_id,
    )  # fmt: skip


def _facts_rest(ids: Sequence[str]) -> str:
    """Subject and verb of a reason: "facts 3, 4 rest"."""
    if len(ids) == 1:
        return f"fact {ids[0]} rests"
    more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
    return f"facts {', '.join(ids[:_NAMED])}{more} rest"
