"""Deletions and retention: what must be gone is gone, in every place, and nothing else is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from text2mem.ir.record import Record
from text2mem.memory import Memory
from text2mem_bench.episodes.cases import Case, Order
from text2mem_bench.episodes.comparing import Comparison
from text2mem_bench.episodes.state import State
from text2mem_bench.episodes.system import Stores
from text2mem_bench.episodes.tally import Tally


@dataclass(slots=True)
class Forgetting:
    """Scores the deletions of a dialogue. ``episodes`` are ids by the turn's name."""

    case: Case
    compare: Comparison
    tally: Tally
    episodes: Mapping[str, str]
    thorough: bool = False
    _gone: set[str] = field(init=False, default_factory=set)

    def forget(self, order: Order, stores: Stores) -> None:
        """Carry a deletion out and look what is left, of every tenant."""
        stores.clock.at = order.at
        where = f"{self.case.id}/{order.id}"
        before = self._states(stores, order)
        memory = stores.memories[order.tenant]
        with self.tally.timed("forget"):
            if order.subject is not None:
                memory.forget(subject=order.subject, thorough=self.thorough)
            else:
                memory.forget(episode=self.episodes[order.episode or ""])
        memory.tick()
        after = self._states(stores, order)
        self._gone |= set(order.gone.episodes)
        self._must_be_gone(order, before[order.tenant], after[order.tenant], where)
        self._must_stay(order, before, after, where)
        self._survivors(order, memory, after[order.tenant], stores, where)

    def _states(self, stores: Stores, order: Order) -> Mapping[str, State]:
        return {
            tenant: State.of(memory.adapter, tenant, order.at)
            for tenant, memory in stores.memories.items()
        }

    def _must_be_gone(self, order: Order, before: State, after: State, where: str) -> None:
        """Every version that was there of what the order covers, and every raw turn."""
        doomed = self.compare.keys(order.gone.facts)
        for record in before.records.values():
            if record.is_fact and self.compare.of(record) in doomed:
                self.tally.count(
                    "forgotten: facts", record.id not in after.records, where,
                    expected="gone", found=" ".join(self.compare.of(record)),
                )  # fmt: skip
        for name in order.gone.episodes:
            self.tally.count(
                "forgotten: episodes", self.episodes[name] not in after.records, where,
                expected="gone", found=name,
            )  # fmt: skip

    def _must_stay(
        self, order: Order, before: Mapping[str, State], after: Mapping[str, State], where: str
    ) -> None:
        """What was held of the rest, of the other tenant everything; and nothing comes back."""
        kept = self.compare.keys(order.facts)
        for tenant, earlier in before.items():
            had = self.compare.keys(earlier.holding())
            has = self.compare.keys(after[tenant].holding())
            for key in sorted(had & kept if tenant == order.tenant else had):
                self.tally.count("kept: facts", key in has, where, expected=" ".join(key))
            self.tally.count("nothing comes back", has <= had, where, found=has - had)
            for turn in self.case.heard(tenant):
                if turn.episode not in self._gone:
                    id_ = self.episodes[turn.episode]
                    self.tally.count(
                        "kept: episodes", id_ in after[tenant].records, where,
                        expected=turn.episode,
                    )  # fmt: skip

    def _survivors(
        self, order: Order, memory: Memory, after: State, stores: Stores, where: str
    ) -> None:
        """The words that nothing of the tenant may hold: in rows, in the journal, in the file.

        The pages of the file are those of the word index, too. A word that another tenant has said
        may stand in a file that both share.
        """
        rows = json.dumps([r.as_dict() for r in after.records.values()], ensure_ascii=False)
        journal = repr(memory.adapter.entries(memory.context))
        files = b"".join(path.read_bytes() for path in stores.files())
        others = [turn.said for session, turn in self.case.turns if session.tenant != order.tenant]
        for word in order.gone.words:
            spelled = {word, word.casefold()}
            places = {
                "rows": any(each in rows.casefold() or each in rows for each in spelled),
                "journal": any(each in journal for each in spelled),
            }
            if files and not any(word in text for text in others):
                places["file"] = any(each.encode() in files for each in spelled)
            for place, found in places.items():
                self.tally.count("no survivors", not found, where, expected=word, found=place)


# --- retention --------------------------------------------------------------------------


TICKS = 12
"""At how many instants a tenant's store is looked at, the earliest ones first."""


def keep_retention(case: Case, stores: Stores, tally: Tally) -> None:
    """Move the clock to each instant at which a class runs out, tick, and look what went when.

    The classes are read from the registry: a store that has not noted them is found out. The
    stores are spent afterwards.
    """
    for tenant, memory in stores.memories.items():
        where = f"{case.id}/{tenant}"
        state = State.of(memory.adapter, tenant, stores.clock.at)
        due = {
            record.id: end
            for record in state.records.values()
            if not record.deleted and (end := _end(case, record)) is not None
        }
        gone: dict[str, datetime] = {}
        for instant in sorted(set(due.values()))[:TICKS]:
            stores.clock.at = max(stores.clock.at, instant)
            memory.tick()
            left = State.of(memory.adapter, tenant, stores.clock.at).records
            for id_ in due.keys() - gone.keys():
                if id_ not in left or left[id_].deleted:
                    gone[id_] = stores.clock.at
        for id_, end in due.items():
            expected = None if end > stores.clock.at else end
            tally.count(
                "retention", gone.get(id_) == expected, where,
                expected=f"memory {id_} gone at {end}", found=gone.get(id_),
            )  # fmt: skip


def _end(case: Case, record: Record) -> datetime | None:
    """When a memory is past its class; None where it has none that ends."""
    known = None if record.attribute is None else case.declared.attribute(record.attribute)
    found = case.declared.retention(record.retention_policy, known, record.type)
    if found is None or found.keep is None:
        return None
    return found.keep.after(record.created_at)
