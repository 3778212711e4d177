"""The figures of the execution layer, of one backend at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from text2mem_bench.execution.scoring import Scored


def summarise(rows: Iterable[Scored]) -> dict[str, dict[str, Any]]:
    """By backend, what its rows come to. A mean over nothing is None."""
    grouped: dict[str, list[Scored]] = {}
    for row in rows:
        grouped.setdefault(row.backend, []).append(row)
    return {name: _figures(own) for name, own in grouped.items()}


def _figures(rows: Sequence[Scored]) -> dict[str, Any]:
    done = [row for row in rows if row.status == "done"]
    return {
        "rows": len(rows), "done": len(done),
        "illegal": sum(row.status == "illegal" for row in rows),
        "refused": sum(row.status == "refused" for row in rows),
        "right": sum(row.right for row in rows),
        "edits": _edits(done), "shifts": _shifts(done), "triggers": _triggers(done),
        "retrieval": _retrieval(done),
        "differences": {
            "rows": sum(bool(row.differences) for row in rows),
            "told": sum(len(row.differences) for row in rows),
        },
        "by_op": _by_op(done),
        "seconds": round(sum(row.seconds for row in rows), 3),
    }  # fmt: skip


def _edits(rows: Sequence[Scored]) -> dict[str, Any]:
    """Precision and recall over the edits of all rows together."""
    scored = [row.edits for row in rows if row.edits is not None]
    expected, actual = sum(e.expected for e in scored), sum(e.actual for e in scored)
    right = sum(e.right for e in scored)
    return {
        "rows": len(scored), "exact": sum(e.exact for e in scored), "expected": expected,
        "actual": actual, "right": right,
        "precision": _share(right, actual), "recall": _share(right, expected),
    }  # fmt: skip


def _shifts(rows: Sequence[Scored]) -> dict[str, Any]:
    """``moved`` stand at another place, ``left`` are no hits any more.

    ``places`` is the mean rise in the direction of the weight, in places.
    """
    shifts = [shift for row in rows for shift in row.shifts]
    places = [s.places * s.direction for s in shifts if s.places is not None]
    taus = [s.tau for s in shifts if s.tau is not None]
    return {
        "memories": len(shifts), "unprobed": sum(row.unprobed for row in rows),
        "right": sum(s.right for s in shifts),
        "moved": sum(place != 0 for place in places),
        "left": sum(s.before is not None and s.after is None for s in shifts),
        "places": _mean(places), "tau": _mean(taus),
    }  # fmt: skip


def _triggers(rows: Sequence[Scored]) -> dict[str, Any]:
    """The checks that held and all of them, also by what, when and how was looked."""
    checks = [check for row in rows for check in row.checks]
    by_moment: dict[str, list[int]] = {}
    for check in checks:
        key = f"{check.about} {check.moment}"
        if check.moment != "stored":
            key += ", ticked" if check.ticked else ", read"
        held = by_moment.setdefault(key, [0, 0])
        held[0] += check.held
        held[1] += 1
    return {
        "checks": len(checks), "held": sum(check.held for check in checks),
        "by_moment": {
            key: {"held": held, "checks": all_}
            for key, (held, all_) in sorted(by_moment.items())
        },
    }  # fmt: skip


def _retrieval(rows: Sequence[Scored]) -> dict[str, Any]:
    found = [row.retrieved for row in rows if row.retrieved is not None]
    return {
        "reads": len(found),
        "recall": _mean([each.recall for each in found]),
        "ndcg": _mean([each.ndcg for each in found]),
        "mrr": _mean([each.reciprocal_rank for each in found]),
        "held": sum(each.held for each in found),
    }


def _by_op(rows: Sequence[Scored]) -> dict[str, dict[str, int]]:
    """By op, the rows with it and how many of them are right; a workflow counts for each op."""
    found: dict[str, dict[str, int]] = {}
    for row in rows:
        for op in dict.fromkeys(row.ops):
            cell = found.setdefault(op, {"rows": 0, "right": 0})
            cell["rows"] += 1
            cell["right"] += row.right
    return dict(sorted(found.items()))


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None
