"""Rows of a run put together: what the terminal, the report and a comparison show alike.

A *cell* is the figures of a group of rows::

    {"n": rows,
     "scores": {name: mean of the rows that have the score, or None},
     "counts": {name: how many rows have it},
     "assertions": {"total", "held", "effective", "effective_held"},   # sums over the rows
     "seconds": {"p50", "p95"}, "tokens": {"prompt", "output", "cached"},   # tokens are sums
     "redrafts": mean, "unaided": share that was legal without a redraft,
     "asked": how many rows got a question in place of a program}

``emr`` and ``effective`` are at the level of assertions, as published: an assertion counts once,
so that a row with three of them weighs three times as much as a row with one. Every other score is
a mean over rows.

Rows of the status ``service`` got no answer; they are counted and enter no cell. Those of the
status ``asked`` got a question: no program ran, and they score 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from text2mem_bench.metrics import NONE, ran, shares, step_pairs

Row = dict[str, Any]
Cell = dict[str, Any]
GROUPS = ("lang", "instruction_type", "structure")
UNSCORED: Final = "service"
ASKED: Final = "asked"


def summarise(rows: Iterable[Row]) -> dict[str, Any]:
    """The figures of a run, whatever the order of its rows.

    ``{"overall": cell, "op": {op of the gold: cell}, "lang": …, "instruction_type": …,
    "structure": …, "ops": {op: {"gold", "predicted", "precision", "recall", "f1"}},
    "confusion": {op of the gold: {op of the prediction: steps}}, "status": {status: rows},
    "asked": {reason: rows}, "answerable": cell}``;
    a row of a workflow stands under each of its ops, and ``none`` in the confusion matrix is a
    step that the other side does not have. ``answerable`` is overall without the Updates that
    asked, see ``lacks_content``; None where there are none of these.
    """
    every = sorted(rows, key=lambda row: str(row["id"]))
    scored = [row for row in every if row["status"] != UNSCORED]
    answerable = [row for row in scored if not lacks_content(row)]
    return {
        "overall": cell(scored),
        "op": _grouped(scored, lambda row: sorted(set(row["gold_ops"]))),
        **{key: _grouped(scored, _valued(key)) for key in GROUPS},
        "ops": per_op(scored),
        "confusion": confusion(scored),
        "status": dict(sorted(Counter(row["status"] for row in every).items())),
        "asked": dict(sorted(
            Counter(str(row.get("reason")) for row in scored if row["status"] == ASKED).items()
        )),
        "answerable": cell(answerable) if len(answerable) < len(scored) else None,
    }  # fmt: skip


def lacks_content(row: Row) -> bool:
    """Whether the gold is an Update, and the planner asked what it is to write.

    Some requests do not say it, so that no program can have what the gold has.
    """
    return (
        row["status"] == ASKED
        and row.get("reason") == "missing-content"
        and list(row["gold_ops"]) == ["Update"]
    )


def cell(rows: Sequence[Row]) -> Cell:
    """The figures of some rows."""
    names = list(dict.fromkeys(name for row in rows for name in row["scores"]))
    known = {name: [v for row in rows if (v := row["scores"].get(name)) is not None]
             for name in names}  # fmt: skip
    seconds = [row["seconds"] for row in rows]
    usage = [row["usage"] for row in rows]
    checked = _assertions(rows)
    scores = {name: mean(values) for name, values in known.items()}
    if "emr" in scores:
        scores["emr"] = _ratio(checked["held"], checked["total"])
        scores["effective"] = _ratio(checked["effective_held"], checked["effective"])
    return {
        "n": len(rows),
        "scores": scores,
        "counts": {name: len(values) for name, values in known.items()},
        "assertions": checked,
        "seconds": {"p50": quantile(seconds, 0.5), "p95": quantile(seconds, 0.95)},
        "tokens": {
            "prompt": sum(used["prompt_tokens"] for used in usage),
            "output": sum(used["output_tokens"] for used in usage),
            "cached": sum(used["cached_tokens"] or 0 for used in usage),
        },
        "redrafts": mean([row["redrafts"] for row in rows]),
        "unaided": mean(
            [int(bool(row["scores"].get("valid")) and not row["redrafts"]) for row in rows]
        ),
        "asked": sum(row["status"] == ASKED for row in rows),
    }


def mean(values: Sequence[float]) -> float | None:
    """The arithmetic mean; None of nothing."""
    return sum(values) / len(values) if values else None


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def quantile(values: Sequence[float], share: float) -> float | None:
    """The value below which a share (0 to 1) of the values lies, between two of them linearly."""
    if not values:
        return None
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def per_op(rows: Iterable[Row]) -> dict[str, dict[str, float]]:
    """Precision, recall and F1 of each op over the steps of all rows.

    A step is found where the other side has one of the same op in the same row; each counts once.
    """
    wanted: Counter[str] = Counter()
    given: Counter[str] = Counter()
    both: Counter[str] = Counter()
    for row in rows:
        gold: Counter[str] = Counter(row["gold_ops"])
        predicted: Counter[str] = Counter(row["ops"])
        wanted, given, both = wanted + gold, given + predicted, both + (gold & predicted)
    return {
        op: {"gold": wanted[op], "predicted": given[op],
             **shares(both[op], wanted[op], given[op])._asdict()}
        for op in sorted({*wanted, *given})
    }  # fmt: skip


def confusion(rows: Iterable[Row]) -> dict[str, dict[str, int]]:
    """How often a step of an op was answered by a step of which op, ``none`` where by none."""
    counted: dict[str, Counter[str]] = {}
    for row in rows:
        gold, predicted = row["gold_ops"], row["ops"]
        for left, right in step_pairs(gold, predicted):
            asked = NONE if left is None else gold[left]
            got = NONE if right is None else predicted[right]
            counted.setdefault(asked, Counter())[got] += 1
    return {asked: dict(sorted(got.items())) for asked, got in sorted(counted.items())}


def _assertions(rows: Iterable[Row]) -> dict[str, int]:
    """Assertions of the rows; those of a program that did not run count as not held."""
    checks = [
        (bool(check["effective"]), bool(check["held"]) and ran(row["status"], row["predicted"]))
        for row in rows
        for check in row["checks"]
    ]
    return {
        "total": len(checks),
        "held": sum(held for _, held in checks),
        "effective": sum(effective for effective, _ in checks),
        "effective_held": sum(effective and held for effective, held in checks),
    }


def _valued(key: str) -> Callable[[Row], Iterable[str]]:
    return lambda row: [row[key]]


def _grouped(rows: Sequence[Row], keys: Callable[[Row], Iterable[str]]) -> dict[str, Cell]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        for key in keys(row):
            groups.setdefault(key, []).append(row)
    return {key: cell(group) for key, group in sorted(groups.items())}
