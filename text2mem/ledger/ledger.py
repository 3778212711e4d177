"""The ledger of one tenant: its facts, its episodes, and programs that change them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeVar

from text2mem.adapters.base import Adapter, Scope, Selection
from text2mem.adapters.viewing import AdapterView
from text2mem.executor import Prepared
from text2mem.executor.history import as_ticked
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import ByFilter, ByIds, BySearch, Retrieve, Target
from text2mem.ir.record import Record, is_id
from text2mem.ir.registry import Registry
from text2mem.ir.result import ProgramResult
from text2mem.ir.rights import may_read
from text2mem.ledger.policy import Policy
from text2mem.pipeline import run_program

T = TypeVar("T")
AT_MOST = 256
"""How many rows a question to the ledger returns where it names no limit."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """The facts and episodes of a tenant, as the caller's actor may read and write them.

    Every change is a program of the language, run by the executor: authorised, journalled, undone
    by its trace. ``prepared`` holds the services and lives as long as the store is open.
    """

    adapter: Adapter
    context: ExecutionContext
    prepared: Prepared
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
        """The instant of the caller's clock, to the second."""
        return self.context.clock.now().replace(microsecond=0)

    def still(self) -> Ledger:
        """The same ledger with its clock stopped at this instant."""
        return replace(self, context=self.context.still())

    def for_owner(self, owner: str | None) -> Ledger:
        """The ledger as seen by the owner of a memory, without roles, if the caller is the local
        user; any other caller keeps their own."""
        if owner is None or not self.context.is_local_user:
            return self
        return replace(self, context=replace(self.context, actor=owner, roles=frozenset()))

    def run(self, *instances: Mapping[str, Any]) -> ProgramResult:
        """Run a program. What the store refuses comes back as a result with ``ok`` false."""
        return run_program(list(instances), self.adapter, self.context, self.prepared)

    # --- reading ---------------------------------------------------------------------------

    def ticked(self, look: Callable[[], T]) -> T:
        """Call ``look`` in one transaction in which everything due is carried out; its result."""
        return as_ticked(self.adapter, self.context, look)

    def find(self, ids: Sequence[str]) -> Mapping[str, Record]:
        """Those of the ids that exist and are not deleted, by id."""
        known = tuple(filter(is_id, ids))
        if not known:
            return {}
        found = self._resolve(ByIds(known), archived=True)
        return {record.id: record for record in found.rows}

    def facts(
        self,
        *,
        subject: str | None = None,
        attribute: str | None = None,
        as_of: datetime | None = None,
    ) -> Sequence[Record]:
        """Facts that hold now, or at an instant; the latest first (docs/ledger.md, "Reading")."""
        if subject is None and attribute is None:
            raise ValueError("a subject or an attribute is needed")
        target = ByFilter(subject=subject, attribute=attribute, limit=AT_MOST)
        rows = self._resolve(target, as_of=as_of).rows
        return [record for record in rows if record.is_fact]

    def waiting(
        self, *, subject: str | None = None, attribute: str | None = None
    ) -> Sequence[Record]:
        """Facts that wait for a yes or for more evidence, the latest first.

        At most 256, or all of a subject (folded) and an attribute (as the registry writes it).
        """
        found = self._readable(
            lambda: self.adapter.waiting(self.context, subject=subject, attribute=attribute)
        )[::-1]
        return found if subject is not None and attribute is not None else found[:AT_MOST]

    def resting_on(self, episodes: Sequence[str]) -> Sequence[Record]:
        """The facts of which one of the episodes is a source, deleted ones too, in id order."""
        if not episodes:
            return ()
        return self._readable(lambda: self.adapter.heard_in(self.context, episodes))

    def _readable(self, look: Callable[[], Sequence[Record]]) -> Sequence[Record]:
        """The records that ``look`` returns, as far as the actor may read them."""
        return self.ticked(lambda: [row for row in look() if may_read(row, self.context)])

    def heard_in(self, episodes: Sequence[str]) -> Mapping[str, Sequence[Record]]:
        """By episode the facts that were heard in it, holding or not; deleted ones are left out."""
        heard: dict[str, list[Record]] = {id_: [] for id_ in episodes}
        for record in self.resting_on(episodes):
            for id_ in {str(entry["episode"]) for entry in record.sources} & heard.keys():
                if not record.deleted:
                    heard[id_].append(record)
        return heard

    def search(
        self, query: str, *, limit: int = 8, as_of: datetime | None = None
    ) -> Sequence[tuple[Record, float]]:
        """Search by words, and by vectors where the store has them: memories with their scores."""
        self.prepare_search(query)
        return self.search_prepared(query, limit=limit, as_of=as_of)

    def prepare_search(self, query: str) -> None:
        """Have the vector made that ``search_prepared`` needs; call it where no lock is held."""
        self.prepared.begin([Retrieve(target=BySearch(query=query))])

    def search_prepared(
        self, query: str, *, limit: int = 8, as_of: datetime | None = None
    ) -> Sequence[tuple[Record, float]]:
        """As ``search``, for a question that was prepared before; it may be called under a lock."""
        target = BySearch(query=query, limit=limit)
        found = self._resolve(target, as_of=as_of, services=self.prepared, counted=False)
        return [(row, round(found.scores[row.id], 6)) for row in found.rows]

    def rows(self, target: ByFilter) -> Sequence[Record]:
        """What a filter finds, the latest first."""
        return self._resolve(target).rows

    def _resolve(
        self,
        target: Target,
        *,
        archived: bool = False,
        as_of: datetime | None = None,
        services: Prepared | None = None,
        counted: bool = True,
    ) -> Selection:
        """The rows of a target, in a transaction in which everything due is carried out."""
        scope = Scope(
            context=self.context, now=self.now(), archived=archived, as_of=as_of,
            services=services, counted=counted,
        )  # fmt: skip
        return self.ticked(lambda: self.adapter.resolve(target, scope))
