"""A ledger replayed statement by statement, written from docs/ledger.md and from nothing else.

It keeps no history: what was believed at an instant is what a replay up to that instant leaves.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

BEGIN = datetime(2020, 1, 1, tzinfo=UTC)
MANY = frozenset({"likes", "skills"})
ATTRIBUTES = ("city", "status", "role", "likes", "skills")
VALUES: tuple[Any, ...] = ("red", "green", "blue", 1, 1.0, True)

Kind = Literal["state", "wait", "raise", "revise", "end", "delete", "erase"]
Told = tuple[str, str, str, datetime, datetime | None]
"""A version as a read shows it: subject, attribute, value, beginning, end."""


@dataclass(frozen=True)
class Statement:
    """One thing said to the store at ``at``; ``version`` is the version that it speaks of."""

    at: datetime
    kind: Kind
    subject: str = ""
    attribute: str = ""
    value: Any = None
    begin: datetime | None = None
    end: datetime | None = None
    version: int = -1


@dataclass(eq=False)
class Version:
    """A memory of the store that is a fact."""

    subject: str
    attribute: str
    value: Any
    begin: datetime
    end: datetime | None
    waiting: bool = False
    deleted: bool = False
    erased: bool = False

    @property
    def holds(self) -> bool:
        """Whether it takes up any time."""
        lasts = self.end is None or self.end > self.begin
        return lasts and not (self.waiting or self.deleted or self.erased)

    def holds_at(self, instant: datetime) -> bool:
        return self.holds and self.begin <= instant and not self.over_by(instant)

    def over_by(self, instant: datetime) -> bool:
        return self.end is not None and self.end <= instant


@dataclass
class Replay:
    """The versions that the statements so far have left, in the order in which they were made."""

    versions: list[Version] = field(default_factory=list)
    lines: dict[tuple[str, str], list[Version]] = field(default_factory=lambda: defaultdict(list))

    def tell(self, said: Statement) -> str:
        """What comes of a statement: ``made``, ``known``, ``changed`` or the code of a refusal."""
        if said.kind in ("state", "wait"):
            begin = said.at if said.begin is None else said.begin
            new = Version(said.subject, said.attribute, said.value, begin, said.end)
            new.waiting = said.kind == "wait"
            return self._enter(new, named_end=said.end)
        old = self.versions[said.version]
        if said.kind == "raise":
            return self._raise(old)
        if said.kind == "revise":
            return self._revise(old, said)
        if said.kind == "end":
            return self._end(old, said.end)
        old.deleted, old.erased = True, said.kind == "erase"
        return "changed"

    def at(self, instant: datetime) -> set[Told]:
        """The versions that hold at an instant."""
        return {shown(version) for version in self.versions if version.holds_at(instant)}

    def _line(self, version: Version) -> list[Version]:
        """The others that exclude this one where they hold."""
        return [
            other
            for other in self.lines[version.subject, version.attribute]
            if other is not version
            and other.holds
            and (version.attribute not in MANY or equal(other.value, version.value))
        ]

    def _enter(self, new: Version, *, named_end: datetime | None) -> str:
        if new.holds:
            line = self._line(new)
            here = [other for other in line if other.holds_at(new.begin)]
            if any(says_all(other, new.value, named_end) for other in here):
                return "known"
            for other in here:
                other.end = new.begin
            later = [other.begin for other in line if other.begin > new.begin]
            ends = later if new.end is None else [*later, new.end]
            new.end = min(ends, default=None)
        if new not in self.versions:
            self.versions.append(new)
            self.lines[new.subject, new.attribute].append(new)
        return "made"

    def _raise(self, old: Version) -> str:
        if not old.waiting or old.deleted:
            return "changed"
        old.waiting = False
        line = [other for other in self._line(old) if other.holds_at(old.begin)]
        if old.holds and any(says_all(other, old.value, old.end) for other in line):
            old.deleted = True
            return "known"
        self._enter(old, named_end=old.end)
        return "changed"

    def _revise(self, old: Version, said: Statement) -> str:
        begin = said.at if said.begin is None else said.begin
        if old.waiting:
            return "pending-fact"
        if old.over_by(begin) or old.over_by(old.begin):
            return "superseded-fact"
        new = Version(old.subject, old.attribute, said.value, begin, old.end)
        if old.holds_at(begin) and equal(old.value, said.value):
            return "known"
        old.end = max(begin, old.begin)
        return self._enter(new, named_end=None)

    def _end(self, old: Version, end: datetime | None) -> str:
        before, old.end = old.end, end
        if old.holds and any(
            (old.end is None or other.begin < old.end)
            and (other.end is None or other.end > old.begin)
            for other in self._line(old)
        ):
            old.end = before
            return "fact-overlap"
        return "changed"


def shown(version: Version) -> Told:
    """A version as a read shows it."""
    value = plain(version.value)
    return version.subject, version.attribute, value, version.begin, version.end


def plain(value: Any) -> str:
    """A JSON value such that 1 and 1.0 are one and true is another."""
    return repr(float(value)) if type(value) in (int, float) else repr(value)


def equal(one: Any, other: Any) -> bool:
    return plain(one) == plain(other)


def says_all(version: Version, value: Any, end: datetime | None) -> bool:
    """Whether a version says what a statement of this value and this end says."""
    shorter = end is not None and (version.end is None or end < version.end)
    return equal(version.value, value) and not shorter


# --- a workload ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Size:
    """How much is said, about how many, and how much is asked."""

    facts: int
    subjects: int
    instants: int
    pairs: int


def workload(size: Size, seed: int) -> Iterator[list[Statement]]:
    """Statements by the instant at which they are recorded, about ten an instant.

    Four of five state facts: in order, late, ahead, at the instant of another one, or again. The
    others end, revise, raise, delete and erase what an earlier instant has made.
    """
    dice = random.Random(seed)
    replay = Replay()
    at = BEGIN
    stated = 0
    while stated < size.facts:
        made = len(replay.versions)
        said: list[Statement] = []
        spoken_of: set[int] = set()
        for _ in range(dice.randint(1, 20)):
            if made and dice.random() < 0.2:
                version = dice.randrange(max(0, made - 400), made)
                if version in spoken_of or replay.versions[version].deleted:
                    continue
                spoken_of.add(version)
                each = _about(version, replay.versions[version], at, dice)
            else:
                each = _new(replay, at, size, dice)
                stated += 1
            replay.tell(each)
            said.append(each)
        if said:
            yield said
        at += timedelta(seconds=dice.choice((1, 60, 3600, 86_400)))


def _new(replay: Replay, at: datetime, size: Size, dice: random.Random) -> Statement:
    subject, attribute = f"s{dice.randrange(size.subjects)}", dice.choice(ATTRIBUTES)
    line = replay.lines[subject, attribute]
    value = dice.choice(VALUES)
    begin: datetime | None = at + timedelta(hours=dice.randint(-24 * 60, 24 * 20))
    chance = dice.random()
    if chance < 0.3:
        begin = None
    elif chance < 0.45 and line:
        begin = dice.choice(line).begin  # a correction, or an exact repeat
        value = dice.choice((value, line[-1].value))
    end = None
    if dice.random() < 0.2:
        end = (begin or at) + timedelta(hours=dice.randint(0, 24 * 30))
    kind: Kind = "wait" if dice.random() < 0.05 else "state"
    return Statement(at, kind, subject, attribute, value, begin, end)


def _about(number: int, version: Version, at: datetime, dice: random.Random) -> Statement:
    said = {"at": at, "version": number}
    if version.waiting:
        return Statement(kind="raise", **said)  # type: ignore[arg-type]
    chance = dice.random()
    hours = timedelta(hours=dice.randint(-24, 24 * 30))
    if chance < 0.4:
        return Statement(kind="end", end=version.begin + hours, **said)  # type: ignore[arg-type]
    if chance < 0.8:
        begin = None if dice.random() < 0.5 else version.begin + hours
        return Statement(kind="revise", value=dice.choice(VALUES), begin=begin, **said)  # type: ignore[arg-type]
    return Statement(kind="delete" if chance < 0.95 else "erase", **said)  # type: ignore[arg-type]
