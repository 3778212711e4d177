"""Figures of attempts: success in both phases, by kind and group, turns, and paired differences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from text2mem_bench.experience.attempting import Row
from text2mem_bench.experience.learning import choices
from text2mem_bench.experience.outcomes import Outcome
from text2mem_bench.report.bootstrap import interval

Figures = Mapping[str, Any]


def figures(rows: Sequence[Row]) -> dict[str, Figures]:
    """By method: the shares, and the difference in the first phase with its interval."""
    methods = list(dict.fromkeys(row["method"] for row in rows))
    base = {row["task"]: row for row in rows if row["method"] == "none"}
    return {method: _of([r for r in rows if r["method"] == method], base) for method in methods}


def _of(rows: Sequence[Row], base: Mapping[str, Row]) -> Figures:
    pairs = [(row, base[row["task"]]) for row in rows if row["task"] in base]
    gains = [float(row["first"]) - float(other["first"]) for row, other in pairs]
    groups = sorted({row["group"] for row in rows})
    return {
        "n": len(rows), "first": _share(rows, "first"), "then": _share(rows, "then"),
        **{each: _share(_where(rows, "kind", each), "first") for each in ("READ", "WRITE")},
        **{each: _share(_where(rows, "group", each), "first") for each in groups},
        "turns": sum(row["turns"] for row in rows) / len(rows),
        "shown": sum(bool(row["hints"]) for row in rows) / len(rows),
        "gain": sum(gains) / len(gains) if gains else None,
        "interval": interval(gains) if gains else None,
    }  # fmt: skip


def _where(rows: Sequence[Row], field: str, value: str) -> list[Row]:
    return [row for row in rows if row[field] == value]


def _share(rows: Sequence[Row], phase: str) -> float | None:
    return sum(bool(row[phase]) for row in rows) / len(rows) if rows else None


def lines(figures: Mapping[str, Figures]) -> Iterator[str]:
    """The table of the paper: a line a method, shares in per cent."""
    columns = [c for c in next(iter(figures.values()), {}) if c not in ("gain", "interval")]
    yield f"{'':<20}" + "".join(f"{column:>8}" for column in columns) + "    against none"
    for method, held in figures.items():
        cells = "".join(f"{_cell(column, held.get(column)):>8}" for column in columns)
        gain = held["gain"]
        apart = "" if gain is None else (
            f"    {100 * gain:+.1f} [{100 * held['interval'][0]:+.1f}, "
            f"{100 * held['interval'][1]:+.1f}]"
        )  # fmt: skip
        yield f"{method:<20}{cells}{apart}"


def _cell(column: str, value: float | None) -> str:
    if value is None:
        return "-"
    if column == "n":
        return str(value)
    return f"{value:.2f}" if column == "turns" else f"{100 * value:.1f}"


def outcome_figures(outcomes: Sequence[Outcome]) -> dict[str, Figures]:
    """By level: of how many states the outcomes are known, and in how many the attempt comes out
    right with none, with the nearest, and with the best."""
    found: dict[str, Figures] = {}
    for level in ("episode", "turn"):
        states = [each.outcomes for each in choices(outcomes, level)]
        if states:
            found[level] = {
                "n": len(states),
                "none": sum(held[0].ended for held in states),
                "nearest": sum(held[1].ended for held in states),
                "best": sum(any(each.ended for each in held) for held in states),
            }
    return found


def outcome_lines(found: Mapping[str, Figures]) -> Iterator[str]:
    """What the table of outcomes says, a line a level."""
    for level, held in found.items():
        yield (
            f"outcomes known, {level}: of {held['n']} states {held['none']} end right with none, "
            f"{held['nearest']} with the nearest, {held['best']} with the best of all"
        )
