"""What is held on a subject or rests on an episode, in whatever state: current, past, deleted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from text2mem.executor.history import find
from text2mem.ir.record import Record
from text2mem.ir.words.naming import name_key
from text2mem.ledger.about import ABOUT
from text2mem.ledger.episode import EPISODE
from text2mem.ledger.ledger import Ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class Holdings:
    """What the actor may read about a subject, in the order of ids.

    ``facts`` are versions about the subject, ``pointing`` those whose value it is, ``episodes``
    what they were heard in (as far as it is there), ``others`` the subject's other memories.
    """

    facts: tuple[Record, ...] = ()
    pointing: tuple[Record, ...] = ()
    episodes: tuple[Record, ...] = ()
    others: tuple[Record, ...] = ()


def held_on(ledger: Ledger, subject: str) -> Holdings:
    """Everything that is held on a subject; its name is compared folded."""

    def look() -> tuple[Sequence[Record], ...]:
        ask, context, now = ledger.adapter.versions, ledger.context, ledger.now()
        about = ask(context, now, listed=(ABOUT, name_key(subject)))
        return ask(context, now, subject=subject), ask(context, now, value=subject), about

    own, pointing, told_of = ledger.ticked(look)
    facts = tuple(record for record in own if record.is_fact)
    about = {record.id for record in facts}
    pointing = tuple(record for record in pointing if record.id not in about)
    told = in_any_state(ledger, (id_ for fact in (*facts, *pointing) for id_ in sources(fact)))
    others = {record.id: record for record in own if not record.is_fact}
    # What a fact was heard in may be a memory of another type, written by hand.
    said = {r.id: r for r in (*own, *told_of) if r.type == EPISODE}
    episodes = {**told, **said}
    return Holdings(
        facts=facts, pointing=pointing,
        episodes=in_order(r for r in episodes.values() if not r.is_fact),
        others=in_order(r for i, r in others.items() if i not in episodes),
    )  # fmt: skip


def in_any_state(ledger: Ledger, ids: Iterable[str]) -> Mapping[str, Record]:
    """Memories by id, archived and deleted ones too."""
    return find(ledger.adapter, ledger.context, dict.fromkeys(ids))


def sources(fact: Record) -> tuple[str, ...]:
    """The ids of the episodes that a fact was heard in, each once."""
    named = [fact.source_episode_id, *(entry.get("episode") for entry in fact.sources)]
    return tuple(dict.fromkeys(str(id_) for id_ in named if id_ is not None))


def state_of(fact: Record, now: datetime) -> str:
    """The state of a version at an instant: current, past, ahead, pending, never or deleted."""
    start, ends = fact.begins, fact.valid_to
    if fact.deleted or fact.pending:
        return "deleted" if fact.deleted else "pending"
    if ends is not None and ends <= start:
        return "never"
    if start > now:
        return "ahead"
    return "current" if ends is None or now < ends else "past"


def by_attribute(facts: Iterable[Record]) -> dict[str, list[Record]]:
    """Facts by attribute, each group in the order given."""
    lines: dict[str, list[Record]] = defaultdict(list)
    for fact in facts:
        lines[fact.attribute or ""].append(fact)
    return dict(lines)


def in_order(records: Iterable[Record]) -> tuple[Record, ...]:
    """Records in the order of their ids."""
    return tuple(sorted(records, key=lambda record: int(record.id)))
