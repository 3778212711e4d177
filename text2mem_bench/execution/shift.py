"""Ranking shift: where a memory stands among the hits of a search before a program and after it.

Where a case states none, every memory is put between two others that say the same. A store of a
case is small, and a search in it tells little. So the program runs once more on a padded copy: each
memory gets two twins with its words, one a little heavier and one a little lighter, and a number of
strangers make words worth something. A memory is searched for by its own words: what is promoted
passes the heavier twin, what is demoted sinks below the lighter one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from text2mem.adapters.base import Adapter
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ports import Embedder
from text2mem.ir.record import DEFAULT_WEIGHT, Record
from text2mem.ir.times.temporal import format_instant
from text2mem.program import Program
from text2mem_bench.execution.cases import ExecutionCase, Shift
from text2mem_bench.ranking import kendall_tau, place_of
from text2mem_bench.running import Memories, Opener, Stopped, fill, run, snapshot

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


# --- in a padded store ------------------------------------------------------------------


SHIFTING = frozenset({"Promote", "Demote"})
STRANGERS = 20
_STEP = 0.02
"""How far the twins are from the usual weight: less than any Promote or Demote goes."""
_WORDS = 200
"""How many characters of a memory are searched for."""


@dataclass(frozen=True, slots=True)
class Probed:
    """The shifts of the memories whose weight moved, by id. ``missed``: no search finds them."""

    shifts: Mapping[str, Shifted] = field(default_factory=dict)
    missed: int = 0


def probe(
    case: ExecutionCase, program: Program, opener: Opener, embedder: Embedder | None
) -> Probed:
    """How a program that promotes or demotes shifts the memories of a case, in a padded store.

    Nothing where it does not run there, because it counts on the ids of new memories.
    """
    if not SHIFTING & {op.name for op in program.ops}:
        return Probed()
    context = ExecutionContext(clock=case.clock, tz=case.tz, confirmed=True, trust_meta=True)
    with opener() as adapter:
        if fill(adapter, case.setup, case.now, embedder) is not None:
            return Probed()
        own = snapshot(adapter, case.now)
        if isinstance(run(_padding(own.values()), adapter, context, embedder), Stopped):
            return Probed()
        before = snapshot(adapter, case.now)
        hits_before = _searches(own, adapter, context, embedder)
        if isinstance(run(program, adapter, context, embedder), Stopped):
            return Probed()
        after = snapshot(adapter, case.now)
        hits_after = _searches(own, adapter, context, embedder)
    moved = directions(before, after)
    shifts = {
        id_: against_weight(id_, hits_before[id_], hits_after[id_], direction, moved.keys())
        for id_, direction in moved.items()
        if id_ in own and any(row["id"] == id_ for row in hits_before[id_])
    }
    return Probed(shifts, len(own.keys() & moved.keys()) - len(shifts))


def _padding(records: Iterable[Record]) -> list[dict[str, Any]]:
    """Twins with the words and the time of each memory, and strangers with words of their own."""
    steps: list[dict[str, Any]] = []
    for record in records:
        for weight in (DEFAULT_WEIGHT + _STEP, DEFAULT_WEIGHT - _STEP):
            twin = _encode(_words(record), format_instant(record.when))
            edit = {"stage": "STO", "op": "Update", "target": {"ids": [f"${len(steps) + 1}"]},
                    "args": {"set": {"weight": weight}}}  # fmt: skip
            steps += [twin, edit]
    return steps + [_encode(f"zzq{number} qqz{number}") for number in range(STRANGERS)]


def _encode(text: str, time: str = "") -> dict[str, Any]:
    args: dict[str, Any] = {"payload": {"text": text}, **({"time": time} if time else {})}
    return {"stage": "ENC", "op": "Encode", "args": args}


def _words(record: Record) -> str:
    """Everything of a memory that a search by words looks at."""
    labels = (record.type, record.subject, record.topic, record.location, record.source)
    return "\n".join([record.text, *(each for each in labels if each), *record.tags]) or "nothing"


def _searches(
    own: Memories, adapter: Adapter, context: ExecutionContext, embedder: Embedder | None
) -> dict[str, Hits]:
    found: dict[str, Hits] = {}
    for id_, record in own.items():
        read = {"stage": "RET", "op": "Retrieve", "target": probe_of(_words(record)[:_WORDS])}
        ran = run([read], adapter, context, embedder)
        found[id_] = [] if isinstance(ran, Stopped) else ran.results[0].rows
    return found
