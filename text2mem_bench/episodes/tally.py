"""Counts of a dialogue: shares, times, tokens, and a row for whatever was not as expected."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from text2mem.ir.times.temporal import format_instant


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
