"""What a tenant's store holds, read without the read path that is being measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from text2mem.adapters.base import Adapter
from text2mem.ir.record import Record
from text2mem_bench.episodes.cases import Question
from text2mem_bench.episodes.comparing import Comparison, Key
from text2mem_bench.running import snapshot


@dataclass(frozen=True, slots=True)
class State:
    """Every memory of a tenant as it stood at an instant, deleted and past ones too."""

    at: datetime
    records: Mapping[str, Record]

    @classmethod
    def of(cls, adapter: Adapter, tenant: str, now: datetime) -> State:
        """Look at a store."""
        return cls(now, snapshot(adapter, now, tenant))

    def facts(self) -> Iterator[Record]:
        """Every version of a fact that was not deleted, waiting ones too."""
        return (r for r in self.records.values() if r.is_fact and not r.deleted)

    def waiting(self) -> list[Record]:
        """The facts that wait."""
        return [record for record in self.facts() if record.pending]

    def holding(self, instant: datetime | None = None) -> list[Record]:
        """The facts that hold at an instant, which is its own where none is given."""
        return [record for record in self.facts() if holds(record, instant or self.at)]


def holds(record: Record, instant: datetime) -> bool:
    """Whether a version holds at an instant: from its beginning on, up to its end."""
    begins = record.valid_from or record.when
    ended = record.valid_to is not None and record.valid_to <= instant
    return begins <= instant and not ended and not record.pending and not record.archived


def heard_in(record: Record) -> set[str]:
    """The ids of the episodes that a fact was heard in."""
    heard = {str(entry["episode"]) for entry in record.sources if entry.get("episode")}
    return heard | ({record.source_episode_id} if record.source_episode_id else set())


@dataclass(slots=True)
class Past:
    """What a tenant's store held after each turn, so that it can be asked what was known when."""

    compare: Comparison
    states: list[State] = field(default_factory=list)

    def add(self, state: State) -> State:
        """Keep one more."""
        self.states.append(state)
        return state

    @property
    def last(self) -> State:
        """The latest one."""
        return self.states[-1]

    def known(self, instant: datetime | None) -> State:
        """What the store held at an instant, or holds now; before the first turn nothing."""
        if instant is None:
            return self.last
        earlier = [state for state in self.states if state.at <= instant]
        return earlier[-1] if earlier else State(instant, {})

    def spellings(self, question: Question) -> tuple[list[str], Mapping[str, list[str]]]:
        """How the store writes a question's subject and attributes, the question's own first.

        An extraction may have called an attribute by another of its names.
        """
        names: dict[str, list[str]] = {
            attribute: [attribute] for attribute in (*question.via, question.attribute or "")
        }
        subjects = [question.subject or ""]
        wanted = self.compare.subject(subjects[0])
        for record in self.last.facts():
            if self.compare.subject(record.subject) == wanted and record.subject is not None:
                subjects.append(record.subject)
            for attribute, spelled in names.items():
                other = record.attribute or ""
                if self.compare.attribute(other) == self.compare.attribute(attribute):
                    spelled.append(other)
        return list(dict.fromkeys(subjects)), {
            attribute: list(dict.fromkeys(spelled)) for attribute, spelled in names.items()
        }

    def answer(self, question: Question) -> set[str]:
        """The values that a question has by what the store holds, as they are compared.

        What was known by ``known_at`` is what the store held then.
        """
        compare = self.compare
        state = self.known(question.known_at)
        instant = question.as_of or question.known_at or self.last.at
        keys = [compare.of(record) for record in state.holding(instant)]
        subjects = {compare.subject(question.subject)}
        for attribute in question.via:
            subjects = {
                compare.subject(value) for value in _values(keys, subjects, compare, attribute)
            }
        return _values(keys, subjects, compare, question.attribute or "")


def _values(
    keys: Sequence[Key], subjects: set[str], compare: Comparison, attribute: str
) -> set[str]:
    wanted = compare.attribute(attribute)
    return {value for subject, name, value in keys if subject in subjects and name == wanted}
