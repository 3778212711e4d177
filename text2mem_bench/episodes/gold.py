"""Gold candidates as a reading would hand them over, so that the ledger is measured alone."""

from __future__ import annotations

from dataclasses import dataclass, field

from text2mem.ledger.candidate import Candidate, Kind
from text2mem_bench.episodes.cases import Case, Gold, Turn

SURE, UNSURE = 0.9, 0.2
"""How confident a reading is of what is said plainly, and of what the speaker is unsure of."""


@dataclass(slots=True)
class GoldReader:
    """Makes candidates of what a dialogue says is right of its turns."""

    case: Case
    _turns: dict[str, Turn] = field(init=False)
    _said_in: dict[int, Turn] = field(init=False)

    def __post_init__(self) -> None:
        self._turns = {turn.episode: turn for _, turn in self.case.turns}
        self._said_in = {id(gold): turn for _, turn in self.case.turns for gold in turn.gold}

    def read(self, turn: Turn) -> tuple[Candidate, ...]:
        """The candidates of a turn; what need not be read is left out."""
        return tuple(self._candidate(turn, gold) for gold in turn.gold if not gold.optional)

    def _candidate(self, turn: Turn, gold: Gold) -> Candidate:
        kind = self.kind(gold)
        old = self.concerned(gold)
        begins = turn.said.find(gold.quote)
        never = kind == "retract" and old is not None and old.valid_from == gold.valid_to
        return Candidate(
            subject=gold.subject, attribute=gold.attribute, value=gold.value, kind=kind,
            type=gold.type, valid_from=gold.valid_from, valid_to=gold.valid_to, never=never,
            replaces=old.value if old is not None and kind == "correct" else None,
            confidence=UNSURE if gold.because == "unsure" else SURE,
            quote=(begins, begins + len(gold.quote)),
        )  # fmt: skip

    def kind(self, gold: Gold) -> Kind:
        """What a candidate does, in the words of a reading."""
        old = self.concerned(gold)
        if gold.outcome == "correct":
            return "correct"
        if gold.retracts:
            return "reject" if old is not None and self._waits(old, gold) else "retract"
        # A tool gives no consent: what it says of a fact that waits is more evidence.
        if gold.outcome == "new" and old is not None and self._said_in[id(gold)].role == "user":
            return "confirm"
        return "state"

    def _waits(self, old: Gold, gold: Gold) -> bool:
        """Whether what was to wait had no yes yet when it was taken back."""
        earlier = (
            other
            for _, turn in self.case.turns
            if turn.at < self._said_in[id(gold)].at
            for other in turn.gold
        )
        confirmed = any(
            other.outcome == "new" and self.concerned(other) is old for other in earlier
        )
        return old.outcome == "pending" and not confirmed

    def concerned(self, gold: Gold) -> Gold | None:
        """The version that a candidate repeats, closes, corrects, ends or confirms.

        Of several values told in that turn, the same one; None where it is not said.
        """
        if gold.concerns is None:
            return None
        old = [
            other
            for other in self._turns[gold.concerns].gold
            if (other.subject, other.attribute) == (gold.subject, gold.attribute)
            and not other.retracts
        ]
        same = [other for other in old if other.value == gold.value]
        return next(iter(same or old), None)
