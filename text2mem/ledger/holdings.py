"""Find everything that is held on a subject, in any state: current, past, pending or deleted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from text2mem.ir.journal import ABOUT
from text2mem.ir.record import Record
from text2mem.ir.words.naming import name_key
from text2mem.ledger.episode import EPISODE
from text2mem.ledger.ledger import Ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class Holdings:
    """What the actor may read about a subject, in the order of ids."""

    facts: tuple[Record, ...]
    """All versions of the facts about it."""
    pointing: tuple[Record, ...]
    """All versions of the facts about others whose value it is."""
    episodes: tuple[Record, ...]
    """The sources of these facts that exist, and the episodes that are labelled with it."""
    others: tuple[Record, ...]
    """Other memories with this subject."""


def held_on(ledger: Ledger, subject: str) -> Holdings:
    """Everything that is held on a subject. Names are compared folded."""
    ask, label = ledger.records, (ABOUT, name_key(subject))
    with_subject, pointing, labelled = ledger.settled(
        lambda: (ask(subject=subject), ask(value=subject), ask(listed=label))
    )
    facts = tuple(record for record in with_subject if record.is_fact)
    fact_ids = {record.id for record in facts}
    pointing = tuple(record for record in pointing if record.id not in fact_ids)
    # A source may be a memory of another type, if the fact was written by hand.
    stating = ledger.in_any_state(id_ for fact in (*facts, *pointing) for id_ in sources(fact))
    episodes = {
        **stating,
        **{record.id: record for record in (*with_subject, *labelled) if record.type == EPISODE},
    }
    return Holdings(
        facts=facts, pointing=pointing,
        episodes=in_order(r for r in episodes.values() if not r.is_fact),
        others=in_order(r for r in with_subject if not r.is_fact and r.id not in episodes),
    )  # fmt: skip


def sources(fact: Record) -> tuple[str, ...]:
    """The ids of the episodes that state a fact, without duplicates."""
    named = [fact.source_episode_id, *(entry.get("episode") for entry in fact.sources)]
    return tuple(dict.fromkeys(str(id_) for id_ in named if id_ is not None))


def state_of(fact: Record, now: datetime) -> str:
    """The state of a version at an instant: current, past, ahead, pending, never or deleted."""
    if fact.deleted or fact.pending:
        return "deleted" if fact.deleted else "pending"
    if fact.ends <= fact.begins:
        return "never"
    if fact.begins > now:
        return "ahead"
    return "current" if now < fact.ends else "past"


def by_attribute(facts: Iterable[Record]) -> dict[str, list[Record]]:
    """The facts by attribute, in the given order."""
    lines: dict[str, list[Record]] = defaultdict(list)
    for fact in facts:
        lines[fact.attribute or ""].append(fact)
    return dict(lines)


def in_order(records: Iterable[Record]) -> tuple[Record, ...]:
    return tuple(sorted(records, key=lambda record: int(record.id)))
