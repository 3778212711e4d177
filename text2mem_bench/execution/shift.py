"""Ranking shift: where a memory stands among the hits of a search before a program and after it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from text2mem_bench.execution.cases import Shift
from text2mem_bench.ranking import kendall_tau, place_of
from text2mem_bench.running import Memories

HITS = 100
Hits = Sequence[Mapping[str, Any]]
"""The rows of a probe search, best first, with their scores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shifted:
    """How one memory moved among the hits of a probe.

    ``direction`` is where its weight went: 1 up, -1 down, 0 stayed; an archived memory goes down.
    ``tau`` is Kendall's, between the hits before and after.
    """

    id: str
    before: int | None
    after: int | None
    direction: int
    tau: float | None
    right: bool

    @property
    def places(self) -> int | None:
        """How many places it rose (negative: sank); None where it was no hit on one side."""
        if self.before is None or self.after is None:
            return None
        return self.before - self.after

    def as_dict(self) -> dict[str, Any]:
        """The shift as JSON."""
        return {
            "id": self.id, "before": self.before, "after": self.after,
            "direction": self.direction, "right": self.right,
            "tau": None if self.tau is None else round(self.tau, 4),
        }  # fmt: skip


def probe_of(words: str) -> dict[str, Any]:
    """The target of a search for words."""
    return {"search": {"intent": {"query": words}, "limit": HITS}}


def against_statement(wanted: Shift, before: Hits, after: Hits, direction: int) -> Shifted:
    """The shift of a memory whose places a case states: right where it stands at them."""
    places = place_of(wanted.id, _ids(before)), place_of(wanted.id, _ids(after))
    return Shifted(
        id=wanted.id, before=places[0], after=places[1], direction=direction,
        tau=kendall_tau(_ids(before), _ids(after)), right=places == (wanted.before, wanted.after),
    )  # fmt: skip


def against_weight(
    id_: str, before: Hits, after: Hits, direction: int, moved: Collection[str]
) -> Shifted:
    """The shift of a memory whose weight moved, right where its score went the same way.

    And among the hits whose weight did not move (``moved`` did) it must not have passed one the
    other way. What has been archived must be no hit any more.
    """
    others = set(moved) - {id_}
    rest = [[i for i in _ids(hits) if i not in others] for hits in (before, after)]
    places = place_of(id_, rest[0]), place_of(id_, rest[1])
    right = places[0] is not None and direction < 0
    if places[0] is not None and places[1] is not None:
        rise = _score(id_, after) - _score(id_, before)
        right = rise * direction > 0 and (places[0] - places[1]) * direction >= 0
    return Shifted(
        id=id_, before=place_of(id_, _ids(before)), after=place_of(id_, _ids(after)),
        direction=direction, tau=kendall_tau(_ids(before), _ids(after)), right=right,
    )  # fmt: skip


def directions(before: Memories, after: Memories) -> dict[str, int]:
    """Of every memory that lost or gained weight: which way it goes, 1 up and -1 down.

    Archiving is down, coming back is up.
    """
    found = {}
    for id_, old in before.items():
        new = after.get(id_)
        if new is None or new.deleted:
            continue
        step = (old.archived - new.archived) or (new.weight > old.weight) - (
            new.weight < old.weight
        )
        if step:
            found[id_] = step
    return found


def _ids(hits: Hits) -> list[str]:
    return [str(row["id"]) for row in hits]


def _score(id_: str, hits: Hits) -> float:
    return next(float(row["score"]) for row in hits if row["id"] == id_)
