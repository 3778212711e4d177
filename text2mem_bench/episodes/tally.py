"""Counts of a dialogue (shares, times, tokens, and a row for whatever was not as expected), and the
figures of a run: the shares of all dialogues added up, F1 and percentiles made of them.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from text2mem.ir.times.temporal import format_instant
from text2mem_bench.figures import p95
from text2mem_bench.scores import UNSCORED


@dataclass(slots=True)
class Tally:
    """What was counted so far.

    ``shares`` are how many held, of how many, by figure; a figure of a group of candidates is
    ``figure/group:member``. ``misses`` tell of each that did not hold; ``times`` are milliseconds.
    """

    shares: dict[str, list[int]] = field(default_factory=dict)
    misses: list[dict[str, Any]] = field(default_factory=list)
    times: dict[str, list[float]] = field(default_factory=dict)
    tokens: dict[str, int] = field(default_factory=dict)

    def count(
        self,
        figure: str,
        held: bool,
        where: str,
        *,
        expected: Any = None,
        found: Any = None,
        groups: Iterable[str] = (),
    ) -> bool:
        """Count one for or against a figure, and for each group; whether it held."""
        for name in (figure, *(f"{figure}/{group}" for group in groups)):
            share = self.shares.setdefault(name, [0, 0])
            share[0] += held
            share[1] += 1
        if not held:
            told = {"expected": shown(expected), "found": shown(found)}
            self.misses.append({"figure": figure, "where": where, **told})
        return held

    @contextmanager
    def timed(self, what: str) -> Iterator[None]:
        """Time what runs within, in milliseconds."""
        begun = time.perf_counter()
        yield
        self.took(what, begun)

    def took(self, what: str, begun: float) -> None:
        """Note what has passed since an instant of ``time.perf_counter``."""
        self.times.setdefault(what, []).append((time.perf_counter() - begun) * 1000)

    def asked(self, what: str, counts: Mapping[str, int], *, refused: int = 0) -> None:
        """Add what a model was asked for a turn or an answer: questions, tokens, and which of its
        answers fitted: they kept their schema, and who asked did not refuse them.
        """
        for name, count in counts.items():
            if name != "unfit":
                key = f"{what}, {name}"
                self.tokens[key] = self.tokens.get(key, 0) + count
        if asked := counts.get("asked", 0):
            share = self.shares.setdefault("model answers that fit", [0, 0])
            share[0] += asked - min(asked, max(counts.get("unfit", 0), refused))
            share[1] += asked

    def as_dict(self) -> dict[str, Any]:
        """The counts as JSON."""
        return {
            "shares": dict(sorted(self.shares.items())), "tokens": self.tokens,
            "times": {name: [round(t, 3) for t in taken] for name, taken in self.times.items()},
            "misses": self.misses,
        }  # fmt: skip


def shown(thing: Any) -> Any:
    """Anything that is counted, as JSON."""
    if isinstance(thing, datetime):
        return format_instant(thing)
    if isinstance(thing, date):
        return thing.isoformat()
    if isinstance(thing, (set, frozenset)):
        return sorted((shown(each) for each in thing), key=repr)
    if isinstance(thing, Mapping):
        return {str(key): shown(value) for key, value in thing.items()}
    if isinstance(thing, Sequence) and not isinstance(thing, str):
        return [shown(each) for each in thing]
    return thing if thing is None or isinstance(thing, (str, int, float, bool)) else str(thing)


# --- of a run ---------------------------------------------------------------------------


Figures = dict[str, Any]

_OF_CANDIDATES = ("precision", "recall")


def summarise(rows: Iterable[Mapping[str, Any]]) -> Figures:
    """``{"dialogues", "turns", "unscored": [id], "shares": {figure: {"held", "of", "share"}},
    "extraction": {group: {"precision", "recall", "f1", "gold", "found"}}, "times": {what: {"p50",
    "p95", "n"}}, "tokens": {name: total}, "tokens_each": {…}}``.

    Times are milliseconds. What was never counted is left out; a share of nothing is None.
    """
    every = sorted(rows, key=lambda row: str(row["id"]))
    played = [row for row in every if row["status"] != UNSCORED]
    shares: dict[str, list[int]] = {}
    times: dict[str, list[float]] = {}
    tokens: dict[str, int] = {}
    for row in played:
        for name, (held, of) in row["shares"].items():
            share = shares.setdefault(name, [0, 0])
            share[0] += held
            share[1] += of
        for name, taken in row["times"].items():
            times.setdefault(name, []).extend(taken)
        for name, count in row["tokens"].items():
            tokens[name] = tokens.get(name, 0) + count
    turns = sum(row["turns"] for row in played)
    return {
        "dialogues": len(played), "turns": turns,
        "unscored": [row["id"] for row in every if row["status"] == UNSCORED],
        "extraction": dict(_extraction(shares)),
        "shares": {
            name: {"held": held, "of": of, "share": held / of}
            for name, (held, of) in sorted(shares.items())
            if name.split("/")[0] not in _OF_CANDIDATES
        },
        "times": {name: percentiles(taken) for name, taken in sorted(times.items())},
        "tokens": tokens,
        "tokens_each": _each(tokens, turns, len(times.get("answer", ()))),
    }  # fmt: skip


def _extraction(shares: Mapping[str, Sequence[int]]) -> Iterator[tuple[str, Figures]]:
    """Precision, recall and F1 over all dialogues, and of each group of candidates."""
    names = {name.partition("/")[2] for name in shares if name.split("/")[0] in _OF_CANDIDATES}
    for group in sorted(names):
        suffix = f"/{group}" if group else ""
        right, found = shares.get(f"precision{suffix}", [0, 0])
        hit, gold = shares.get(f"recall{suffix}", [0, 0])
        precision = right / found if found else None
        recall = hit / gold if gold else None
        yield group or "all", {
            "precision": precision, "recall": recall, "f1": f1(precision, recall),
            "gold": gold, "found": found, "right": hit,
        }  # fmt: skip


def f1(precision: float | None, recall: float | None) -> float | None:
    """The harmonic mean; None where there was nothing to find and nothing was found."""
    if precision is None and recall is None:
        return None
    one, other = precision or 0.0, recall or 0.0
    return 2 * one * other / (one + other) if one + other else 0.0


def percentiles(taken: Sequence[float]) -> Figures:
    """Median and 95th percentile of times, and of how many."""
    p50 = statistics.median(taken)
    return {"p50": round(p50, 3), "p95": round(p95(taken), 3), "n": len(taken)}


def _each(tokens: Mapping[str, int], turns: int, answers: int) -> Figures:
    """What a model was asked, a turn and an answer: questions, tokens of the prompt (of them
    cached) and of the output.
    """
    per = {"turn": turns, "answer": answers}
    each = {name: (count, per[name.partition(",")[0]]) for name, count in tokens.items()}
    return {name: round(count / of, 1) for name, (count, of) in each.items() if of}
