"""The figures of a run: the shares of all dialogues added up, F1 and percentiles made of them."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from text2mem_bench.figures import p95
from text2mem_bench.scores import UNSCORED

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
