"""What a turn did to the ledger: versions closed, versions left open, what may not be there."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from text2mem.ir.record import Record
from text2mem_bench.episodes.cases import Case, Gold, Look, Turn
from text2mem_bench.episodes.comparing import Comparison, Key
from text2mem_bench.episodes.extraction import Line, Pair
from text2mem_bench.episodes.gold import GoldReader
from text2mem_bench.episodes.state import State, heard_in
from text2mem_bench.episodes.tally import Tally

CHANGES = ("supersede", "correct", "late", "retract")
"""The outcomes that take history in hand."""


@dataclass(slots=True)
class Effects:
    """Scores what turns and looks show of one tenant's ledger.

    A line of a subject and an attribute is *sound* as long as everything on it has been read
    rightly, and nothing else has: then what becomes of it is the ledger's doing alone.
    """

    case: Case
    compare: Comparison
    tally: Tally
    episodes: dict[str, str]
    _gold: GoldReader = field(init=False)
    _unsound: set[Line] = field(init=False, default_factory=set)

    def __post_init__(self) -> None:
        self._gold = GoldReader(self.case)

    def turn(
        self, turn: Turn, pairs: list[Pair], wrong: set[Line], before: State, after: State
    ) -> None:
        """Count what a turn did."""
        where = f"{self.case.id}/{turn.episode}"
        self._unsound |= wrong
        for pair in pairs:
            if pair.gold.outcome in CHANGES and pair.found.line not in self._unsound:
                seen = self._seen(pair.gold, turn, after)
                held = pair.became == pair.gold.outcome and seen is None
                self.tally.count(
                    "supersession", held, where, expected=pair.gold.model_dump(mode="json"),
                    found=seen or f"{pair.became}: {pair.found.outcome.reason}",
                    groups=[f"outcome:{pair.gold.outcome}"],
                )  # fmt: skip
                if not held:
                    self._unsound.add(pair.found.line)
        for gold in turn.gold:
            if gold.counts:
                self._stale(gold, turn, before, after, where)

    def _seen(self, gold: Gold, turn: Turn, after: State) -> str | None:
        """What is wrong about the ledger where a version was to change; None where nothing is."""
        key = self.compare.of(gold)
        instant = self._boundary(gold, turn)
        holding = self.compare.keys(after.holding(instant))
        if (key in holding) == gold.retracts:
            return f"at {instant:%Y-%m-%d} it {'holds' if gold.retracts else 'does not hold'}"
        line = [other for other in holding if other[:2] == key[:2] and other != key]
        if line and not gold.retracts and not self.compare.many(gold.attribute):
            return f"at {instant:%Y-%m-%d} there is another value: {line[0][2]}"
        return None

    def _boundary(self, gold: Gold, turn: Turn) -> datetime:
        """An instant at which a change shows: the turn's, if it is later than the change.

        Of a change to come it is a day later; of a value that is over, where it began.
        """
        if gold.retracts:
            begins, ends = gold.valid_to, None
        else:
            begins, ends = gold.valid_from, gold.valid_to
        if ends is not None and ends <= turn.at:
            return begins or ends - timedelta(seconds=1)
        if gold.outcome == "late" and begins is not None:
            return begins
        if begins is None or begins <= turn.at:
            return turn.at
        return begins + timedelta(days=1)

    def _stale(self, gold: Gold, turn: Turn, before: State, after: State, where: str) -> None:
        """Whether a value that a turn says is over, or wrong, is still held afterwards."""
        old = self._gold.concerned(gold)
        if gold.outcome not in ("supersede", "correct", "retract") or old is None:
            return
        key, instant = self.compare.of(old), self._boundary(gold, turn)
        if key in self.compare.keys(before.holding(instant)):
            stays = key in self.compare.keys(after.holding(instant))
            self.tally.count(
                "stale facts closed", not stays, where, expected=f"closed: {' '.join(key)}",
                found="open",
            )  # fmt: skip

    # --- looks -----------------------------------------------------------------------------

    def look(self, look: Look, state: State) -> None:
        """Count what a tenant's ledger holds against what it should hold."""
        where = f"{self.case.id}/after {look.after}"
        for what, expected, records in (
            ("ledger", look.facts, state.holding()),
            ("ledger, waiting", look.pending, state.waiting()),
        ):
            here = {self.compare.of(record): record for record in records}
            for fact in expected:
                key = self.compare.of(fact)
                self.tally.count(f"{what}, recall", key in here, where, expected=" ".join(key))
                if key in here and what == "ledger":
                    self._sources(fact.sources, here[key], where)
            wanted = self.compare.keys(expected) | self._optional(look)
            for key in here:
                self.tally.count(f"{what}, precision", key in wanted, where, found=" ".join(key))
        self._duplicates(state, where)
        self._denied(state, look.tenant, where)

    def _optional(self, look: Look) -> set[Key]:
        return {
            self.compare.of(gold)
            for turn in self.case.heard(look.tenant)
            for gold in turn.gold
            if gold.optional
        }

    def _sources(self, episodes: tuple[str, ...], record: Record, where: str) -> None:
        heard = heard_in(record)
        for name in episodes:
            self.tally.count(
                "sources of the ledger", self.episodes.get(name) in heard, where, expected=name,
                found={"of": [record.subject, record.attribute, record.value], "sources": heard},
            )  # fmt: skip

    def _duplicates(self, state: State, where: str) -> None:
        """A fact is alone where no other one holds its value, or stands where one value may."""
        keys = [self.compare.of(record) for record in state.holding()]
        values, lines = Counter(keys), Counter(key[:2] for key in keys)
        for key in keys:
            alone = values[key] == 1 and (self.compare.many(key[1]) or lines[key[:2]] == 1)
            self.tally.count("no duplicates", alone, where, found=" ".join(key))

    def _denied(self, state: State, tenant: str, where: str) -> None:
        """What the policy denies must not be in the store, not even waiting or deleted."""
        held = self.compare.keys(r for r in state.records.values() if r.is_fact)
        for turn in self.case.heard(tenant):
            for gold in turn.gold:
                if gold.outcome == "ignored" and turn.at <= state.at:
                    kept = self.compare.of(gold) in held
                    self.tally.count("denied kept out", not kept, where, found=gold.attribute)
