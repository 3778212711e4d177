"""What a wild run comes to: shares of right effects, and counts of what went wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from text2mem_bench.scores import UNSCORED, Row, mean, quantile

GROUPS = ("kind", "lang", "store")
"""By what the figures are given besides the whole."""
COUNTS: Mapping[str, Callable[[Row], Any]] = {
    "harm": lambda row: row["harmed"],
    "loss": lambda row: row["hidden"],
    "unmeant": lambda row: row["unmeant"],
    "asked": lambda row: row["status"] == "asked",
    "needless": lambda row: row["asked_needlessly"],
    "unasked": lambda row: row["did_not_ask"],
    "refused": lambda row: row["status"] == "refused",
    "no_program": lambda row: row["status"] == "no-program",
}
"""Rows in which there is some of it."""


def summarise(rows: Iterable[Row]) -> dict[str, Any]:
    """``{"overall": cell, "kind": {kind: cell}, "lang": …, "store": …, "status": {…: rows}}``.

    Rows whose service was down are in no cell.
    """
    every = list(rows)
    scored = [row for row in every if row["status"] != UNSCORED]
    return {
        "overall": cell(scored),
        **{group: _grouped(scored, group) for group in GROUPS},
        "status": dict(sorted(Counter(row["status"] for row in every).items())),
    }


def cell(rows: Sequence[Row]) -> dict[str, Any]:
    """The figures of some rows: counts of rows, and the means of their scores."""
    names = list(dict.fromkeys(name for row in rows for name in row["scores"]))
    known = {name: [v for row in rows if (v := row["scores"][name]) is not None] for name in names}
    seconds = [row["seconds"] for row in rows]
    return {
        "n": len(rows),
        "right": sum(row["scores"]["right"] for row in rows),
        **{name: sum(bool(of(row)) for row in rows) for name, of in COUNTS.items()},
        "ops_right": sum(known.get("ops_right", ())), "ops_of": len(known.get("ops_right", ())),
        "scores": {name: mean(values) for name, values in known.items()},
        "seconds": {"p50": quantile(seconds, 0.5), "p95": quantile(seconds, 0.95)},
        "tokens": {
            "prompt": sum(row["usage"]["prompt_tokens"] for row in rows),
            "output": sum(row["usage"]["output_tokens"] for row in rows),
        },
    }  # fmt: skip


def _grouped(rows: Sequence[Row], key: str) -> dict[str, Any]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(str(row[key]), []).append(row)
    return {name: cell(group) for name, group in sorted(groups.items())}
