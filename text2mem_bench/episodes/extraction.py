"""What a reading found in a turn against what it should have found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from text2mem.ir.record import Record
from text2mem.ledger.candidate import Candidate
from text2mem_bench.episodes.cases import Case, Gold, Turn
from text2mem_bench.episodes.comparing import Comparison, Key
from text2mem_bench.episodes.gold import GoldReader
from text2mem_bench.episodes.state import State, heard_in
from text2mem_bench.episodes.system import Heard
from text2mem_bench.episodes.tally import Tally

if TYPE_CHECKING:
    from text2mem.ledger.candidate import Outcome

Line = tuple[str, str]
"""Subject and attribute as they are compared."""
_SECOND = timedelta(seconds=1)
STORED = ("new", "repeat", "supersede", "late", "correct", "pending")
"""What became of a candidate that is a fact afterwards, or a source of one."""


@dataclass(frozen=True, slots=True)
class Found:
    """A candidate of a reading. ``key`` is None where it leaves open what it takes back."""

    candidate: Candidate
    outcome: Outcome
    key: Key | None
    line: Line
    retracts: bool
    record: Record | None = None

    @property
    def two(self) -> bool:
        """Whether it has also ended another fact, which it replaces."""
        return self.candidate.replaces is not None and len(self.outcome.program) > 1


@dataclass(frozen=True, slots=True)
class Pair:
    """A gold candidate, and the one that a reading found for it; ``exact`` if all of it is right,
    its kind and dates too.
    """

    gold: Gold
    found: Found
    exact: bool

    @property
    def became(self) -> str:
        """What became of it; of several values a correction or a change ends one and begins
        another."""
        if self.found.two and self.gold.outcome in ("retract", "new"):
            return self.gold.outcome
        return self.found.outcome.became


@dataclass(slots=True)
class Reading:
    """Scores the candidates of one turn after another."""

    case: Case
    compare: Comparison
    tally: Tally
    _gold: GoldReader = field(init=False)

    def __post_init__(self) -> None:
        self._gold = GoldReader(self.case)

    def score(self, turn: Turn, heard: Heard, after: State) -> tuple[list[Pair], set[Line]]:
        """Count a turn; what was found rightly, and the lines that something was wrong about."""
        left = [each for outcome in heard.outcomes for each in self._found(outcome, after)]
        pairs: list[Pair] = []
        wrong: set[Line] = set()
        where = f"{self.case.id}/{turn.episode}"
        for gold in sorted(turn.gold, key=lambda gold: not gold.counts):
            found = self._match(gold, left, turn)
            if found is not None:
                left.remove(found)
            if gold.counts:
                groups = self._groups(turn, gold.attribute, self._gold.kind(gold))
                told = self._told(gold)
                self.tally.count(
                    "recall", found is not None, where, expected=told, groups=groups,
                    found=[_said(other) for other in left if found is None],
                )  # fmt: skip
                if found is None:
                    wrong.add(self._line(gold))
                    continue
                pair = Pair(gold, found, self._exact(gold, found, turn))
                pairs.append(pair)
                self._details(pair, turn, where)
                kind = found.candidate.kind
                right = self._groups(turn, found.candidate.attribute, kind)
                self.tally.count("precision", True, where, groups=right)
                if not pair.exact:
                    wrong.add(self._line(gold))
        neutral = self.compare.keys(gold for gold in turn.gold if not gold.counts)
        for found in left:
            if found.key in neutral:
                continue
            groups = self._groups(turn, found.candidate.attribute, found.candidate.kind)
            wanted = [self._told(gold) for gold in turn.gold] or turn.nothing
            self.tally.count(
                "precision", False, where, expected=wanted, found=_said(found), groups=groups
            )
            wrong.add(found.line)
        self._writes(heard, after, where)
        return pairs, wrong

    def _found(self, outcome: Outcome, after: State) -> list[Found]:
        """A candidate as found; if it has also ended the fact that it replaces, that too."""
        said = outcome.candidate
        compare = self.compare
        line = compare.subject(said.subject), compare.attribute(said.attribute)
        record = self._record(outcome, after)
        value = said.value
        if value is None and record is not None:
            value = record.value
        key = None if value is None else (*line, compare.value(said.attribute, value))
        retracts = said.kind in ("retract", "reject")
        found = [Found(said, outcome, key, line, retracts, record)]
        if found[0].two:
            wrong = (*line, compare.value(said.attribute, said.replaces))
            found.append(Found(said, outcome, wrong, line, True, record))
        return found

    def _record(self, outcome: Outcome, after: State) -> Record | None:
        """The fact that a candidate became, or is about."""
        said = outcome.candidate
        touched = [after.records[id_] for id_ in outcome.ids if id_ in after.records]
        compare = self.compare
        line = compare.subject(said.subject), compare.attribute(said.attribute)
        facts = [
            record
            for record in touched
            if record.is_fact
            and (compare.subject(record.subject), compare.attribute(record.attribute or "")) == line
        ]
        if said.value is not None:
            value = compare.value(said.attribute, said.value)
            facts = [
                record for record in facts if compare.value(said.attribute, record.value) == value
            ]
        return max(facts, key=lambda record: int(record.id), default=None)

    def _match(self, gold: Gold, found: Sequence[Found], turn: Turn) -> Found | None:
        key = self.compare.of(gold)
        alike = [each for each in found if each.key == key and each.retracts == gold.retracts]
        if not alike and gold.retracts:
            # "where one value holds": the only end that the turn tells of this line
            ends = [other for other in turn.gold if other.retracts]
            if [self._line(other) for other in ends].count(self._line(gold)) == 1:
                alike = [
                    each
                    for each in found
                    if each.key is None and each.retracts and each.line == self._line(gold)
                ]
        return alike[0] if alike else None

    def _line(self, gold: Gold) -> Line:
        return self.compare.subject(gold.subject), self.compare.attribute(gold.attribute)

    def _groups(self, turn: Turn, attribute: str, kind: str) -> list[str]:
        known = "declared" if self.compare.declared(attribute) else "undeclared"
        return [
            f"language:{self.case.language}", f"split:{self.case.split}", f"attribute:{known}",
            f"kind:{kind}", f"role:{turn.role}",
        ]  # fmt: skip

    # --- dates, types, outcomes ------------------------------------------------------------

    def _details(self, pair: Pair, turn: Turn, where: str) -> None:
        gold, found = pair.gold, pair.found
        expected, dates = self._expected_days(gold), self._days(found, turn)
        self.tally.count(
            "dates", self._timely(gold, found, turn), where,
            expected={**self._told(gold), "days": expected}, found=dates,
        )  # fmt: skip
        if not gold.retracts and found.candidate.kind != "confirm":
            self.tally.count(
                "types", found.candidate.type == gold.type, where,
                expected={**self._told(gold), "type": gold.type}, found=found.candidate.type,
            )  # fmt: skip
        self.tally.count(
            "outcomes", pair.became == gold.outcome, where, expected=self._told(gold),
            found=f"{pair.became}: {found.outcome.reason}",
        )  # fmt: skip

    def _timely(self, gold: Gold, found: Found, turn: Turn) -> bool:
        """Whether a candidate holds on the expected days. One that ends with the last second of a
        day ends where the next one begins."""
        expected, (begins, ends) = self._expected_days(gold), self._days(found, turn)
        last = found.candidate.valid_to
        after = self.compare.day(last + _SECOND) if last is not None and ends is not None else ends
        return expected in ((begins, ends), (begins, after))

    def _expected_days(self, gold: Gold) -> tuple[date | None, date | None]:
        day = self.compare.day
        return (None if gold.retracts else day(gold.valid_from)), day(gold.valid_to)

    def _days(self, found: Found, turn: Turn) -> tuple[date | None, date | None]:
        """The days from and to which a candidate holds, by the ledger where it leaves them open.

        An end that it does not tell is the turn's, of a retraction.
        """
        said, record, day = found.candidate, found.record, self.compare.day
        if found.retracts:
            ended: datetime | None = said.valid_to or said.valid_from or turn.at
            if record is not None and (said.never or said.kind == "correct"):
                ended = record.valid_from
            return None, day(ended)
        begins = said.valid_from
        if begins is None and record is not None and found.outcome.became != "repeat":
            begins = record.valid_from
        elif begins is None and said.valid_to is None:
            begins = turn.at
        return day(begins), day(said.valid_to)

    def _exact(self, gold: Gold, found: Found, turn: Turn) -> bool:
        kind, read = self._gold.kind(gold), found.candidate.kind
        if read != kind and not found.two:
            return False
        if kind in ("correct", "confirm", "reject"):
            return True
        return self._timely(gold, found, turn)

    def _told(self, gold: Gold) -> dict[str, object]:
        return {
            "subject": gold.subject, "attribute": gold.attribute, "value": gold.value,
            "outcome": gold.outcome, "quote": gold.quote,
        }  # fmt: skip

    # --- what was written ------------------------------------------------------------------

    def _writes(self, heard: Heard, after: State, where: str) -> None:
        for outcome in heard.outcomes:
            self.tally.count(
                "legal programs", outcome.became != "rejected", where, expected="a legal program",
                found={**outcome.as_dict(), "program": list(outcome.program)},
            )  # fmt: skip
            if outcome.became in STORED and outcome.candidate.kind != "confirm":
                record = self._record(outcome, after)
                sources = set() if record is None else heard_in(record)
                self.tally.count(
                    "sources", heard.episode in sources, where, expected=heard.episode,
                    found={"sources": sources, "outcome": outcome.became},
                )  # fmt: skip


def _said(found: Found) -> Mapping[str, object]:
    said = found.candidate
    return {
        "subject": said.subject, "attribute": said.attribute, "value": said.value,
        "kind": said.kind, "became": found.outcome.became, "by": said.by,
    }  # fmt: skip
