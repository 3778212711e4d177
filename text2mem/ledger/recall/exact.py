"""Exact state: facts by subject, attribute and instant, read in one transaction for a question."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from text2mem.adapters.base import Scope
from text2mem.ir.ops import ByFilter, ByIds, Target
from text2mem.ir.record import Record, is_id, told_order
from text2mem.ir.registry import Registry
from text2mem.ir.words.naming import name_key
from text2mem.ledger.episode import EPISODE
from text2mem.ledger.evolution.names import read_names, replaced
from text2mem.ledger.ledger import AT_MOST, Ledger

T = TypeVar("T")

USER = "user"
"""The subject of a speaker without a name."""
_PROBES = 96
SEARCHED = 12
"""How many memories a search finds for a question."""
_HEARD = 16
NEWEST = 256
"""How many of the newest facts tell of subjects."""


@dataclass(slots=True)
class State:
    """The ledger at the instants of a question; each read of the store is made once.

    Only for use inside ``look``, except for ``search``. ``registry`` is the tenant's.
    """

    ledger: Ledger
    registry: Registry
    as_of: datetime | None = None
    known_at: datetime | None = None
    _names: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _held: dict[tuple[str | None, str | None], tuple[Record, ...]] = field(default_factory=dict)
    _known: dict[str, bool] = field(default_factory=dict)
    _searched: dict[tuple[str, datetime | None], Sequence[Record]] = field(default_factory=dict)
    _probes: int = 0

    def facts(self, subject: str | None, attribute: str | None = None) -> tuple[Record, ...]:
        """Facts that hold at the question's instants, the latest first."""
        key = (subject, attribute)
        if key not in self._held:
            if attribute is None:
                self._held[key] = self._called(subject, None)
            else:
                self._held[key] = self._line(subject, attribute)
        return self._held[key]

    def _line(self, subject: str | None, attribute: str) -> tuple[Record, ...]:
        names = self.names(attribute)
        whole = self._held.get((subject, None))
        if whole is not None and len(whole) < AT_MOST:
            return tuple(one for one in whole if one.attribute in names)
        found = {row.id: row for name in names for row in self._called(subject, name)}
        if subject is not None and self.known_at is not None:
            # What a change of the schema has replaced since counts as it was recorded.
            since = replaced(self.ledger, subject, attribute, self.as_of, self.known_at)
            found |= {id_: row for id_, row in since.items() if id_ not in found}
        return tuple(found.values())

    def _called(self, subject: str | None, name: str | None) -> tuple[Record, ...]:
        """The facts under one name of an attribute, or under all."""
        target = ByFilter(subject=subject, attribute=name, limit=AT_MOST)
        rows = self._resolve(target, self.as_of, self.known_at)
        return tuple(row for row in sorted(rows, key=told_order) if row.is_fact)

    def names(self, attribute: str) -> tuple[str, ...]:
        """The names that an attribute is read by: more than one while its schema changes."""
        if attribute not in self._names:
            read = read_names(self.ledger, attribute)
            stored = [self.registry.attribute(name).name for name in read]
            self._names[attribute] = tuple(dict.fromkeys(stored))
        return self._names[attribute]

    def now(self, subject: str) -> tuple[Record, ...]:
        """Facts that hold now, whatever the question's instants are."""
        if self.as_of is None and self.known_at is None:
            return self.facts(subject)
        rows = self._resolve(ByFilter(subject=subject, limit=AT_MOST))
        return tuple(row for row in rows if row.is_fact)

    def over(self, subject: str) -> Sequence[Record]:
        """Facts of a subject that held once and hold no more."""
        if self.known_at is not None:
            return ()
        context, now = self.ledger.context, self.ledger.now()
        return [
            row for row in self.ledger.adapter.versions(context, now, subject=subject, over=True)
            if row.is_fact and not (row.deleted or row.pending or row.archived)
        ][-AT_MOST:]  # fmt: skip

    def knows(self, subject: str) -> bool:
        """Whether any fact of a subject holds, now or at the question's instants.

        After ``_PROBES`` different names the answer is no: each costs a read.
        """
        if subject not in self._known:
            if self._probes >= _PROBES:
                return False
            self._probes += 1
            one = ByFilter(subject=subject, limit=1)
            found = self._resolve(one)
            if not found and (self.as_of is not None or self.known_at is not None):
                found = self._resolve(one, self.as_of, self.known_at)
            self._known[subject] = bool(found)
        return self._known[subject]

    def likely(self, names: Iterable[str]) -> None:
        """Find out in one read which of the names no subject has, before ``knows`` is asked."""
        if self.as_of is not None or self.known_at is not None:
            return
        new = {name for name in names if name not in self._known}
        there = self.ledger.view.subjects_among(new) if new else new
        self._known |= dict.fromkeys(new - there, False)

    def search(self, words: str, as_of: datetime | None) -> Sequence[Record]:
        """The best memories that a search finds for words, searched for once an instant.

        The words have been prepared before (``Ledger.prepare_search``).
        """
        if (words, as_of) not in self._searched:
            hits = self.ledger.search_prepared(words, limit=SEARCHED, as_of=as_of)
            self._searched[words, as_of] = [record for record, _ in hits]
        return self._searched[words, as_of]

    def at(self, as_of: datetime | None, known_at: datetime | None) -> State:
        """The same store at other instants."""
        if (as_of, known_at) == (self.as_of, self.known_at):
            return self
        return State(
            self.ledger, self.registry, as_of, known_at, self._names, _searched=self._searched
        )

    def begins(self, subject: str, attribute: str) -> datetime | None:
        """Since when the value that holds now of an attribute holds."""
        starts = [one.valid_from for one in self.now(subject) if one.attribute == attribute]
        return max((start for start in starts if start is not None), default=None)

    def oneself(self) -> str:
        """Whom "I" means: the caller's actor, ``user``, or the one speaker there is."""
        actor = self.ledger.context.actor
        if actor is not None:
            return name_key(actor)
        if self.knows(USER):
            return USER
        rows = self._resolve(ByFilter(type=EPISODE, limit=_HEARD))
        said = {row.facets.get("speaker") for row in rows if row.facets.get("role") == "user"}
        names = {name_key(name) for name in said if isinstance(name, str)}
        return names.pop() if len(names) == 1 and None not in said else USER

    def find(self, ids: Iterable[str]) -> dict[str, Record]:
        """Those of the ids that exist and are not deleted, archived ones too."""
        wanted = tuple(dict.fromkeys(filter(is_id, ids)))
        if not wanted:
            return {}
        rows = self._resolve(ByIds(wanted), archived=True)
        # Only what was there at the instant by which something is to have been told.
        by = self.known_at
        return {row.id: row for row in rows if by is None or row.created_at <= by}

    def _resolve(
        self,
        target: Target,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        *,
        archived: bool = False,
    ) -> Sequence[Record]:
        scope = Scope(
            context=self.ledger.context, now=self.ledger.now(), as_of=as_of, known_at=known_at,
            archived=archived, counted=False,
        )  # fmt: skip
        return self.ledger.adapter.resolve(target, scope).rows


def look(ledger: Ledger, read: Callable[[State], T]) -> T:
    """Call ``read`` with the state in one transaction, of which nothing is kept; its result."""
    return ledger.ticked(lambda: read(State(ledger, ledger.registry)))
