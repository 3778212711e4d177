"""Tenants that share a store and must know nothing of each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from text2mem.ir.record import Record
from text2mem.ledger.episode import EPISODE, Episode
from text2mem.ledger.ledger import Ledger
from text2mem.ledger.recall import recall
from text2mem_bench.episodes.cases import Case
from text2mem_bench.episodes.comparing import Comparison, Key
from text2mem_bench.episodes.state import State
from text2mem_bench.episodes.tally import Tally


@dataclass(slots=True)
class Isolation:
    """Looks in each tenant's memory for what only another one has said."""

    case: Case
    compare: Comparison
    tally: Tally

    def look(self, ledgers: Mapping[str, Ledger], states: Mapping[str, State]) -> None:
        """Count every fact, episode, answer and search hit; none where there is one tenant."""
        if len(self.case.tenants) < 2:
            return
        for tenant, ledger in ledgers.items():
            where = f"{self.case.id}/{tenant}"
            said = {turn.said for turn in self.case.heard(tenant)}
            foreign = {
                key for other in ledgers if other != tenant for key in self._stated(other)
            } - set(self._stated(tenant))
            for record in states[tenant].records.values():
                self._own(record, said, foreign, where, "stored")
            for question in self.case.questions:
                if question.tenant == tenant:
                    continue
                told = recall(ledger, question.asks)
                if question.subject is not None:
                    exact = recall(ledger, subject=question.subject, attribute=question.attribute)
                    told_facts = (*told.facts, *exact.facts)
                else:
                    told_facts = told.facts
                for record in told_facts:
                    self._own(record, said, foreign, where, f"answer to {question.id}")
                shown = [id_ for line in told.lines for id_ in line.records]
                found = [*ledger.find(shown).values()]
                found += [record for record, _ in ledger.search(question.asks, limit=20)]
                for record in found:
                    self._own(record, said, foreign, where, f"search for {question.id}")

    def _own(
        self, record: Record, said: set[str], foreign: set[Key], where: str, place: str
    ) -> None:
        """Whether a memory says only what its tenant has said."""
        if record.is_fact:
            own = self.compare.of(record) not in foreign
        elif record.type != EPISODE:
            return
        else:
            own = Episode.of(record, self.case.tz).text in said
        self.tally.count("isolation", own, where, expected="the tenant's own", found=place)

    def _stated(self, tenant: str) -> Iterator[Key]:
        for turn in self.case.heard(tenant):
            for gold in turn.gold:
                yield self.compare.of(gold)
