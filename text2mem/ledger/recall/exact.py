"""Exact state: read facts by subject, attribute and instant, in one transaction per question."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeVar

from text2mem.ir.ops import ByFilter, ByIds
from text2mem.ir.record import Record, is_id, told_order
from text2mem.ir.words.naming import name_key
from text2mem.ledger.episode import EPISODE
from text2mem.ledger.evolution.names import read_names, replaced
from text2mem.ledger.ledger import AT_MOST, Ledger

T = TypeVar("T")

USER = "user"
"""The subject of a speaker without a name."""
_PROBES = 96
"""The most names that ``State.knows`` looks up."""
SEARCHED = 12
"""The most memories that a search finds for a question."""
_HEARD = 16
"""The most recent episodes whose speakers are compared (``State.oneself``)."""
NEWEST = 256
"""How many of the newest facts are looked at for subjects."""


@dataclass(slots=True)
class State:
    """The ledger at the instants of a question, within ``look``. Reads of the store are cached."""

    ledger: Ledger
    as_of: datetime | None = None
    known_at: datetime | None = None
    _names: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _held: dict[tuple[str | None, str | None], tuple[Record, ...]] = field(default_factory=dict)
    _known: dict[str, bool] = field(default_factory=dict)
    _searched: dict[tuple[str, datetime | None], Sequence[Record]] = field(default_factory=dict)
    _probes: int = 0

    def facts(self, subject: str | None, attribute: str | None = None) -> tuple[Record, ...]:
        """The facts of a subject (None: of all) and an attribute, at the question's instants."""
        key = (subject, attribute)
        if key not in self._held:
            self._held[key] = (
                self._called(subject, None) if attribute is None else self._line(subject, attribute)
            )
        return self._held[key]

    def _line(self, subject: str | None, attribute: str) -> tuple[Record, ...]:
        """The facts of one attribute, under all names by which it is read."""
        names = self.names(attribute)
        of_subject = self._held.get((subject, None))
        if of_subject is not None and len(of_subject) < AT_MOST:
            return tuple(fact for fact in of_subject if fact.attribute in names)
        found = {row.id: row for name in names for row in self._called(subject, name)}
        if subject is not None and self.known_at is not None:
            before = replaced(self.ledger, subject, attribute, self.as_of, self.known_at)
            found |= {id_: row for id_, row in before.items() if id_ not in found}
        return tuple(found.values())

    def _called(self, subject: str | None, name: str | None) -> tuple[Record, ...]:
        """The facts stored under one name of an attribute, or under any (None)."""
        target = ByFilter(subject=subject, attribute=name, limit=AT_MOST)
        rows = self.ledger.resolve(target, as_of=self.as_of, known_at=self.known_at).rows
        return tuple(row for row in sorted(rows, key=told_order) if row.is_fact)

    def names(self, attribute: str) -> tuple[str, ...]:
        """The declared names under which an attribute is read (``evolution.names``)."""
        if attribute not in self._names:
            declared = map(self.ledger.registry.attribute, read_names(self.ledger, attribute))
            self._names[attribute] = tuple(dict.fromkeys(each.name for each in declared))
        return self._names[attribute]

    def now(self, subject: str) -> tuple[Record, ...]:
        """The facts of a subject that hold now, whatever the question's instants are."""
        if self.as_of is None and self.known_at is None:
            return self.facts(subject)
        rows = self.ledger.resolve(ByFilter(subject=subject, limit=AT_MOST)).rows
        return tuple(row for row in rows if row.is_fact)

    def over(self, subject: str) -> Sequence[Record]:
        """The facts of a subject that have held until now or earlier; none under ``known_at``."""
        if self.known_at is not None:
            return ()
        return [
            row for row in self.ledger.records(subject=subject, over=True)
            if row.is_fact and not (row.deleted or row.pending or row.archived)
        ][-AT_MOST:]  # fmt: skip

    def knows(self, subject: str) -> bool:
        """Whether any fact of a subject holds, now or then; False after ``_PROBES`` reads."""
        if subject not in self._known:
            if self._probes >= _PROBES:
                return False
            self._probes += 1
            target = ByFilter(subject=subject, limit=1)
            found = self.ledger.resolve(target).rows
            if not found and (self.as_of is not None or self.known_at is not None):
                found = self.ledger.resolve(target, as_of=self.as_of, known_at=self.known_at).rows
            self._known[subject] = bool(found)
        return self._known[subject]

    def likely(self, names: Iterable[str]) -> None:
        """Find in one read which of the names are no subject's, so that ``knows`` needs no read for
        them. Does nothing for a question about other instants."""
        if self.as_of is not None or self.known_at is not None:
            return
        new = {name for name in names if name not in self._known}
        subjects = self.ledger.view.subjects_among(new) if new else new
        self._known |= dict.fromkeys(new - subjects, False)

    def search(self, words: str, as_of: datetime | None) -> Sequence[Record]:
        """The best ``SEARCHED`` memories for words that ``Ledger.prepare_search`` was given."""
        if (words, as_of) not in self._searched:
            hits = self.ledger.search_prepared(words, limit=SEARCHED, as_of=as_of)
            self._searched[words, as_of] = [record for record, _ in hits]
        return self._searched[words, as_of]

    def at(self, as_of: datetime | None, known_at: datetime | None) -> State:
        """The state at other instants; it shares the cached names and searches."""
        if (as_of, known_at) == (self.as_of, self.known_at):
            return self
        return replace(self, as_of=as_of, known_at=known_at, _held={}, _known={}, _probes=0)

    def begins(self, subject: str, attribute: str) -> datetime | None:
        """The instant at which the latest value of an attribute that holds now began."""
        starts = [fact.valid_from for fact in self.now(subject) if fact.attribute == attribute]
        return max((start for start in starts if start is not None), default=None)

    def oneself(self) -> str:
        """The subject that "I" means: the caller's actor, else ``user`` if it has facts, else the
        only speaker of the recent episodes, else ``user``."""
        actor = self.ledger.context.actor
        if actor is not None:
            return name_key(actor)
        if self.knows(USER):
            return USER
        rows = self.ledger.resolve(ByFilter(type=EPISODE, limit=_HEARD)).rows
        speakers = {row.facets.get("speaker") for row in rows if row.facets.get("role") == "user"}
        names = {name_key(name) for name in speakers if isinstance(name, str)}
        return names.pop() if len(names) == 1 and None not in speakers else USER

    def find(self, ids: Iterable[str]) -> dict[str, Record]:
        """The memories with these ids that are not deleted, archived ones too, by id. Under
        ``known_at`` only those that existed then."""
        wanted = tuple(dict.fromkeys(filter(is_id, ids)))
        rows = self.ledger.resolve(ByIds(wanted), archived=True).rows if wanted else ()
        latest = self.known_at
        return {row.id: row for row in rows if latest is None or row.created_at <= latest}


def look(ledger: Ledger, read: Callable[[State], T]) -> T:
    """What ``read`` returns for the state, in one transaction that is rolled back."""
    return ledger.settled(lambda: read(State(ledger)))
