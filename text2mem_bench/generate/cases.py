"""Cases: steps, the request for them, and everything that a row has to hold and to satisfy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from text2mem.ir.ops import READS
from text2mem.ir.times.temporal import format_instant
from text2mem_bench.generate.check import leaks, says_all, stands_for
from text2mem_bench.generate.clauses import Unsayable
from text2mem_bench.generate.expect import COUNTED, MOST, as_row, assertions, ranking
from text2mem_bench.generate.marks import Marked, Marker, parted
from text2mem_bench.generate.model import Family, Slot, Step
from text2mem_bench.generate.perturb import perturbed
from text2mem_bench.generate.stage import Stage, Tried
from text2mem_bench.generate.talk import answer, correction, same
from text2mem_bench.generate.targets import Draw
from text2mem_bench.generate.telling import Teller, Telling, told
from text2mem_bench.generate.workflows import CHAINS, chain, loose

_VAGUE = 0.3
"""The share of the requests that leave something open, where something can be left open."""
_STEPS: Mapping[Family, int] = {
    "operational": 4, "inquiry": 3, "conditional": 2, "interactive": 2,
}  # fmt: skip
"""For how many steps a family has frames."""
_MODES = ("answer", "same", "correction", "shown")


@dataclass(frozen=True, slots=True)
class Said:
    """The turns in plain text, and the slots that each of them says."""

    turns: tuple[str, ...]
    marked: tuple[tuple[Marked, ...], ...]

    @property
    def utterance(self) -> str:
        """The request, which is the last turn."""
        return self.turns[-1]


@dataclass(frozen=True, slots=True)
class Case:
    """A case to be tried. ``full`` is the request with nothing left open, where it differs."""

    steps: tuple[Step, ...]
    setup: tuple[Mapping[str, Any], ...]
    family: Family
    telling: Telling
    said: Said
    full: str

    @property
    def program(self) -> list[Mapping[str, Any]]:
        """The gold program."""
        return [step.instance for step in self.steps]


def draw_case(draw: Draw, teller: Teller, what: str, family: Family) -> Case | None:
    """A case for a seed, or for a ``workflow``; None where the draw came to naught."""
    try:
        return _drawn(draw, teller, what, family)
    except Unsayable:
        return None


def _drawn(draw: Draw, teller: Teller, what: str, family: Family) -> Case | None:
    rng = draw.rng
    conditional = family == "conditional"
    if what == "workflow":
        steps = _steps(draw, family)
    else:
        own = bool(teller.book.some(f"{what}/conditional", teller.split))
        step = perturbed(what, draw, conditional=conditional and not own)
        steps = None if step is None else [step]
    if steps is None:
        return None
    hidden: Slot | None = None
    telling: Telling | None
    mode = rng.choice(_MODES) if family == "interactive" and len(steps) == 1 else "shown"
    if mode == "same":
        telling = same(teller, steps[0], draw)
    elif mode == "correction":
        telling = correction(teller, steps[0], draw)
    elif mode == "answer":
        first = told(teller, steps, rng.choice(("operational", "inquiry")))
        hidden = _open(first, teller, rng)
        telling = None if first is None or hidden is None else answer(teller, first, hidden)
    else:
        telling = told(teller, steps, family)
        if telling is not None and rng.random() < _VAGUE:
            hidden = _open(telling, teller, rng)
    if telling is None:
        return None
    names = frozenset({hidden.name} if hidden is not None and mode != "answer" else ())
    said = say(telling, teller, names)
    full = say(telling, teller).utterance if names else ""
    setup = tuple(instance for step in steps for instance in step.setup)
    return Case(tuple(steps), (*setup, *telling.setup), family, telling, said, full)


def _steps(draw: Draw, family: Family) -> list[Step] | None:
    conditional = family == "conditional"
    if family in ("operational", "inquiry") and draw.rng.random() < 0.25:
        return loose(draw)
    chains = [seeds for seeds in CHAINS if len(seeds) <= _STEPS[family]]
    return chain(draw, draw.rng.choice(chains), conditional=conditional)


def _open(telling: Telling | None, teller: Teller, rng: Random) -> Slot | None:
    """A slot of the request that can be left open, and that nothing else in it gives away."""
    if telling is None:
        return None
    said = say(telling, teller)
    everywhere = [marked.slot for turn in said.marked for marked in turn]
    pointers = [slot.pointer for slot in everywhere]
    found = [
        marked.slot
        for marked in said.marked[-1]
        if marked.slot.kind
        and marked.slot.vaguely
        and pointers.count(marked.slot.pointer) == 1
        and [slot.name for slot in everywhere].count(marked.slot.name) == 1
    ]
    return rng.choice(found) if found else None


def say(telling: Telling, teller: Teller, hidden: frozenset[str] = frozenset()) -> Said:
    """The turns of a request, with the slots named said vaguely."""
    marker = Marker(hidden)
    turns = [parted(teller.words.finish(turn), marker.written) for turn in telling.write(marker)]
    return Said(tuple(text for text, _ in turns), tuple(tuple(marked) for _, marked in turns))


# --- trying --------------------------------------------------------------------------------


def expected(case: Case, stage: Stage, draw: Draw) -> dict[str, Any] | None:
    """What the program brings about, tried on the store; None where the case is not to be kept."""
    if any(leaks(turn) for turn in case.said.turns) or not says_all(case.steps, case.said.marked):
        return None
    with stage.prepared(case.setup, draw.now) as ready:
        tried = stage.tried(case.program, draw.now) if ready else None
        if tried is None or not _as_meant(case, tried):
            return None
        must = tuple(word for step in case.steps for word in step.must)
        held = assertions(tried, must)
        after = stage.counts(held)
    with stage.prepared(case.setup, draw.now):
        before = stage.counts(held)
    held = [
        replace(asked, value=number) if asked.value == COUNTED else asked
        for asked, number in zip(held, after, strict=True)
    ]
    kept = [
        asked
        for asked, old, new in zip(held, before, after, strict=True)
        if asked.holds(new) and not asked.holds(old)
    ]
    writes = any(step.instance["op"] not in READS for step in case.steps)
    if writes and not kept:
        return None
    return {
        "assertions": [as_row(asked) for asked in kept[:MOST]],
        "ranking": _ranking(case, tried),
        "triggers": [],
        "meta": {
            "dialect": "sqlite", "eval_time_utc": format_instant(draw.now), "step_index": 0,
        },
    }  # fmt: skip


def _as_meant(case: Case, tried: Tried) -> bool:
    """Whether every step was about what its words mean, and did something."""
    for step, result in zip(case.steps, tried.result.results, strict=True):
        op = step.instance["op"]
        if not result.affected or (op not in READS and not (result.changes or result.created)):
            return False
        if step.ids is None or op in ("Split", "Merge"):
            continue
        if "search" in step.instance["target"] and op in READS:
            most = len(step.ids)
            if not set(result.affected[:most]) <= set(step.ids):
                return False
        elif set(result.affected) != set(step.ids):
            return False
    return True


def _ranking(case: Case, tried: Tried) -> dict[str, Any] | None:
    """What the read of most memories has to return; None where there is no read."""
    found: dict[str, Any] | None = None
    for step, result in zip(case.steps, tried.result.results, strict=True):
        if step.instance["op"] in READS and step.ids is not None:
            searched = "search" in step.instance["target"]
            ids = result.affected[: len(step.ids)] if searched else result.affected
            if found is None or len(ids) > len(found["gold_ids"]):
                found = ranking(ids, ordered=searched)
    return found


# --- notes ---------------------------------------------------------------------------------


def notes(case: Case) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What is left open, and what refers back, each with its span and what it stands for."""
    vague, references = [], []
    last = len(case.said.turns) - 1
    for turn, marked in enumerate(case.said.marked):
        for one in marked:
            if not one.vague and one.slot.name != "pronoun":
                continue
            note = {
                "phrase": case.said.turns[turn][one.start : one.end],
                "span": [one.start, one.end],
                "turn": None if turn == last else turn,
                "pointer": one.slot.pointer,
                "value": stands_for(case.program, one.slot.pointer),
            }
            if one.vague:
                vague.append({**note, "kind": one.slot.kind, "means": one.slot.said})
            else:
                references.append(note)
    return vague, references
