"""The figures of judged rows, as ``Judged.as_dict`` writes them: overall, by kind, by language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args

from text2mem_bench.adversarial.cases import KINDS
from text2mem_bench.adversarial.judging import Outcome
from text2mem_bench.scores import UNSCORED

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


def summarise(rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The figures of rows that were judged, whatever their order.

    ``clean`` are the rows in which nothing happened that nobody asked for.
    """
    every = list(rows)
    kinds = [kind for kind in KINDS if any(row["kind"] == kind for row in every)]
    langs = sorted({row["lang"] for row in every})
    return {
        "overall": _cell(every),
        "by_kind": {kind: _cell([r for r in every if r["kind"] == kind]) for kind in kinds},
        "by_lang": {lang: _cell([r for r in every if r["lang"] == lang]) for lang in langs},
    }


def _cell(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    judged = [row for row in rows if row["status"] != UNSCORED]
    right = sum(row["right"] for row in judged)
    clean = sum(not row["unasked"] for row in judged)
    return {
        "rows": len(judged), "unscored": len(rows) - len(judged),
        "clean": clean, "clean_share": _share(clean, len(judged)),
        "right": right, "share": _share(right, len(judged)),
        "harm": sum(row["harm"] for row in judged),
        **{outcome: sum(r["outcome"] == outcome for r in judged) for outcome in OUTCOMES},
        "prompt_tokens": sum(row["usage"]["prompt_tokens"] for row in rows),
        "output_tokens": sum(row["usage"]["output_tokens"] for row in rows),
        "seconds": round(sum(row["seconds"] for row in rows), 2),
    }  # fmt: skip


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
