"""The ledger of one tenant: read its facts and episodes, and run programs that change them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from typing import Any, TypeVar, Unpack

from text2mem.adapters.base import Adapter, RecordQuery, Scope, Selection
from text2mem.adapters.viewing import AdapterView
from text2mem.errors import ConfigurationError
from text2mem.executor import Prepared, history
from text2mem.executor.frame import settled
from text2mem.ir.context import ExecutionContext
from text2mem.ir.journal import Entry
from text2mem.ir.ops import ByFilter, ByIds, BySearch, Retrieve, Target
from text2mem.ir.ports import Away
from text2mem.ir.record import Record, is_id
from text2mem.ir.registry import Registry
from text2mem.ir.result import ProgramResult
from text2mem.ledger.policy import Policy
from text2mem.running import run_program

T = TypeVar("T")
AT_MOST = 256
"""The most rows that a method without a limit returns."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """The facts and episodes of a tenant, as the caller's actor may read and write them. Every
    change is a program that the executor authorises, journals, and can undo by its trace id."""

    adapter: Adapter
    context: ExecutionContext
    prepared: Prepared
    """The services and their answers, shared as long as the store is open."""
    policy: Policy

    @property
    def registry(self) -> Registry:
        """The tenant's registry: the declared attributes and memory types."""
        return self.adapter.registry()

    @property
    def view(self) -> AdapterView:
        """What a reader may see of the store, as the caller's actor."""
        return self.adapter.view(self.context)

    def now(self) -> datetime:
        """The present instant of the caller's clock, in whole seconds."""
        return self.context.clock.now().replace(microsecond=0)

    def still(self) -> Ledger:
        """The same ledger with its clock stopped at the present instant."""
        return replace(self, context=self.context.still())

    def for_owner(self, owner: str | None) -> Ledger:
        """If the caller is the local user, the ledger with ``owner`` as its actor and without
        roles; otherwise, and for no owner, the same ledger."""
        if owner is None or not self.context.is_local_user:
            return self
        return replace(self, context=replace(self.context, actor=owner, roles=frozenset()))

    def run(self, *instances: Mapping[str, Any]) -> ProgramResult:
        """Run a program. If the store refuses it, the result has ``ok`` false."""
        return run_program(list(instances), self.adapter, self.context, self.prepared)

    # --- reading ---------------------------------------------------------------------------

    def settled(self, look: Callable[[], T]) -> T:
        """What ``look`` returns in a transaction, rolled back, in which what is due is done."""
        return settled(self.adapter, self.context, look)

    def resolve(
        self, target: Target, *, archived: bool = False, deleted: bool = False,
        as_of: datetime | None = None, known_at: datetime | None = None,
        services: Prepared | None = None, tags: Sequence[str] = (), away: Away | None = None,
    ) -> Selection:  # fmt: skip
        """What a target selects (``Scope``). Call this within ``settled``."""
        scope = Scope(
            context=self.context, now=self.now(), archived=archived, deleted=deleted, as_of=as_of,
            known_at=known_at, services=services, counted=False, tags=tags, away=away,
        )  # fmt: skip
        return self.adapter.resolve(target, scope)

    def records(self, **sought: Unpack[RecordQuery]) -> Sequence[Record]:
        """What ``Adapter.records`` finds. Call this within ``settled``."""
        return self.adapter.records(self.context, self.now(), **sought)

    def find(self, ids: Sequence[str]) -> Mapping[str, Record]:
        """The memories with these ids that exist, are not deleted and may be read, by id."""
        if not (valid := tuple(filter(is_id, ids))):
            return {}
        rows = self.settled(lambda: self.resolve(ByIds(valid), archived=True).rows)
        return {record.id: record for record in rows}

    def in_any_state(self, ids: Iterable[str]) -> Mapping[str, Record]:
        """The memories with these ids that may be read, archived and deleted ones too, by id."""
        return history.find(self.adapter, self.context, dict.fromkeys(ids))

    def entries(self, ids: Iterable[str]) -> Sequence[Entry]:
        """What the journal has of memories (``history``), the oldest first."""
        found = (history.history(self.adapter, self.context, id_) for id_ in ids)
        return sorted(chain.from_iterable(found), key=lambda entry: entry.seq)

    def facts(
        self,
        *,
        subject: str | None = None,
        attribute: str | None = None,
        as_of: datetime | None = None,
    ) -> Sequence[Record]:
        """Facts that hold now, or at ``as_of``, the latest first, at most 256 (docs/ledger.md,
        "Reading"). Raise ConfigurationError without a subject or an attribute."""
        if subject is None and attribute is None:
            raise ConfigurationError(
                "facts of what are asked for?", hint="give a subject or an attribute"
            )
        target = ByFilter(subject=subject, attribute=attribute, limit=AT_MOST)
        rows = self.settled(lambda: self.resolve(target, as_of=as_of).rows)
        return [record for record in rows if record.is_fact]

    def not_now(self, *, subject: str, attribute: str) -> Sequence[Record]:
        """Versions that are over or have yet to begin, the latest beginning first, at most 256."""
        now = self.now()
        found = self.settled(lambda: self.records(subject=subject, attribute=attribute))
        elsewhen = [
            r for r in found if r.is_fact and not (r.deleted or r.pending or r.archived)
            and r.begins < r.ends and not r.holds_at(now)
        ]  # fmt: skip
        return sorted(elsewhen, key=lambda r: (r.begins, int(r.id)), reverse=True)[:AT_MOST]

    def knows(self, subject: str) -> bool:
        """Whether a subject (folded) has a fact that is not deleted: held, past, ahead, waiting."""
        found = self.settled(lambda: self.records(subject=subject))
        return any(record.is_fact and not record.deleted for record in found)

    def waiting(
        self, *, subject: str | None = None, attribute: str | None = None
    ) -> Sequence[Record]:
        """Pending facts, the latest first, at most 256; all of them, if a subject (folded) and an
        attribute (as the registry writes it) are given."""
        facts = self.settled(
            lambda: self.records(subject=subject, attribute=attribute, pending=True)
        )[::-1]
        return facts if subject is not None and attribute is not None else facts[:AT_MOST]

    def resting_on(self, episodes: Sequence[str]) -> Sequence[Record]:
        """The facts that have one of the episodes as a source, deleted ones too, by id."""
        return self.settled(lambda: self.records(episodes=episodes)) if episodes else ()

    def heard_in(self, episodes: Sequence[str]) -> Mapping[str, Sequence[Record]]:
        """For each episode, the facts that have it as a source, holding or not, but not deleted."""
        by_episode: dict[str, list[Record]] = {id_: [] for id_ in episodes}
        for record in self.resting_on(episodes):
            for id_ in {str(entry["episode"]) for entry in record.sources} & by_episode.keys():
                if not record.deleted:
                    by_episode[id_].append(record)
        return by_episode

    def search(
        self, query: str, *, limit: int = 8, tags: Sequence[str] = ()
    ) -> Sequence[tuple[Record, float]]:
        """Search memories that have all of the tags, by words and vectors; scored, best first."""
        self.prepare_search(query)
        return self.search_prepared(query, limit=limit, tags=tags)

    def prepare_search(self, query: str) -> None:
        """Make the vector that ``search_prepared`` needs. Call this while no lock is held."""
        self.prepared.begin([Retrieve(target=BySearch(query=query))])

    def search_prepared(
        self, query: str, *, limit: int = 8, as_of: datetime | None = None,
        tags: Sequence[str] = (),
    ) -> Sequence[tuple[Record, float]]:  # fmt: skip
        """As ``search``, for a prepared query. It may be called under a lock."""
        target = BySearch(query=query, limit=limit)
        hits = self.settled(
            lambda: self.resolve(target, as_of=as_of, services=self.prepared, tags=tags)
        )
        return [(row, round(hits.scores[row.id], 6)) for row in hits.rows]

    def rows(self, target: ByFilter, away: Away | None = None) -> Sequence[Record]:
        """The memories that a filter selects, the latest first; with ``away``, of those that are
        archived, or deleted."""
        return self.settled(lambda: self.resolve(target, away=away).rows)
