"""The cases that failed, and why, as the page's list of failures takes them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from text2mem_bench.metrics import ops_of, ran, slots, step_pairs
from text2mem_bench.scores import Row

Mark = Literal["same", "differs", "missing", "extra", "none"]
"""Of a slot beside the gold's: equal, another value, absent, not in the gold, absent from both."""
Program = Sequence[Any]


def failed(row: Row) -> bool:
    """Whether a row is a failure: it did not run, the ops are not the gold's, or the store or a
    ranking is not what the case expects."""
    scores = row.get("scores") or {}
    return not (
        row["status"] == "executed"
        and scores.get("op_exact") == 1
        and scores.get("row") in (1, None)
    )


def reasons(row: Row) -> list[str]:
    """Why a row failed, in words under which rows can be grouped; empty for one that did not."""
    found: list[str] = []
    status, error = row["status"], row.get("error") or {}
    if status != "executed":
        codes = [one.get("code") for one in row.get("diagnostics") or ()]
        codes = codes or [
            row.get("reason") or error.get("code") or error.get("type") or "no reason given"
        ]
        found += [f"{status}: {code}" for code in codes]
    if row.get("predicted") is not None and list(row["ops"]) != list(row["gold_ops"]):
        found.append("other ops")
    if ran(status, row.get("predicted")):
        found += [f"assertion {one['name']}" for one in row.get("checks") or () if not one["held"]]
        ranking = row.get("ranking")
        found += ["ranking"] if ranking is not None and not ranking["held"] else []
    return list(dict.fromkeys(found)) if failed(row) else []


def listed(runs: Sequence[Sequence[Row]]) -> list[dict[str, Any]]:
    """The cases that failed in at least one of the runs, in the order of the first that has them.

    Each holds what the case is and, a run each, what became of it there (None: it is not in the
    run). Rows of the same id are one case where they say and ask for the same.
    """
    cases: dict[str, list[Row | None]] = {}
    for place, rows in enumerate(runs):
        for row in rows:
            key = json.dumps([row["id"], row["utterance"], row["gold"]], sort_keys=True)
            cases.setdefault(key, [None] * len(runs))[place] = row
    return [
        _case(found)
        for found in cases.values()
        if any(row is not None and failed(row) for row in found)
    ]


def _case(found: Sequence[Row | None]) -> dict[str, Any]:
    first = next(row for row in found if row is not None)
    programs = [None if row is None else row.get("predicted") for row in found]
    return {
        "id": str(first["id"]),
        "lang": str(first["lang"]),
        "type": str(first["instruction_type"]),
        "structure": str(first["structure"]),
        "utterance": str(first["utterance"]),
        "context": [_turn(turn) for turn in first.get("context") or ()],
        "gold": [str(op) for op in first["gold_ops"]],
        "steps": compared(first["gold"], programs),
        "runs": [None if row is None else _result(row) for row in found],
    }


def _result(row: Row) -> dict[str, Any]:
    error = row.get("error") or {}
    counted = ran(row["status"], row.get("predicted"))
    checks = row.get("checks") or () if counted else ()
    return {
        "status": str(row["status"]),
        "failed": failed(row),
        "ops": None if row.get("predicted") is None else [str(op) for op in row["ops"]],
        "reasons": reasons(row),
        "redrafts": int(row.get("redrafts") or 0),
        "error": _asked(row)
        or ": ".join(str(error[k]) for k in ("type", "code", "message") if error.get(k)),
        "diagnostics": [
            {key: str(one.get(key) or "") for key in ("code", "pointer", "message", "hint")}
            for one in row.get("diagnostics") or ()
        ],
        "held": sum(bool(one["held"]) for one in checks),
        "checks": [_check(one) for one in checks if not one["held"]],
        "ranking": _ranking(row.get("ranking")) if counted else None,
    }


def _asked(row: Row) -> str:
    """What the planner asked in place of a program; empty where it did not."""
    return f"asks back: {row['question']}" if row.get("question") else ""


def _check(check: Mapping[str, Any]) -> dict[str, str]:
    params = check.get("params") or {}
    return {
        "name": str(check["name"]),
        "sql": str(check["sql"]),
        "params": ", ".join(f":{name} = {_json(value)}" for name, value in params.items()),
        "expected": f"{check.get('compare', '')} {_json(check.get('value'))}".strip(),
        "before": _number(check.get("before")),
        "after": _number(check.get("after")),
        "error": str(check.get("error") or ""),
    }


def _ranking(ranking: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if ranking is None or ranking["held"]:
        return None
    reads = [", ".join(map(str, ids)) or "nothing" for ids in ranking.get("returned") or ()]
    return {
        "wanted": ", ".join(map(str, ranking["gold_ids"])),
        "rule": (
            f"at least {ranking.get('min_hits')} in the first {ranking.get('k')}"
            f"{'' if ranking.get('allow_extra', True) else ', and nothing else'}"
        ),
        "returned": reads or ["the program reads nothing"],
        "hits": str(ranking.get("hits")),
    }


def _turn(turn: Any) -> str:
    if isinstance(turn, Mapping) and "content" in turn:
        return f"{turn.get('role', '')}: {turn['content']}".removeprefix(": ")
    return turn if isinstance(turn, str) else _json(turn)


def _number(value: Any) -> str:
    return "not counted" if value is None else _json(value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


# --- programs, step by step and slot by slot -----------------------------------------------


def compared(gold: Program, predicted: Sequence[Program | None]) -> list[dict[str, Any]]:
    """The steps of a gold program and what each prediction has in their places, as JSON.

    A step holds ``ops`` (the gold's, None where the step is beyond the gold; then a prediction
    each) and ``slots``, each ``[path, the gold's value, [value, mark] of a prediction each]``;
    values are JSON as text, None where there is none. Steps are paired as the scores pair them. A
    prediction that is None has no steps.
    """
    matched: list[dict[int, int]] = []
    steps: list[dict[str, Any]] = []
    beyond: list[dict[str, Any]] = []
    for place, program in enumerate(predicted):
        pairs = step_pairs(ops_of(gold), ops_of(program or ()))
        matched.append({one: other for one, other in pairs if None not in (one, other)})  # type: ignore[misc]
        for one, other in pairs:
            if one is None and other is not None and program is not None:
                alone = [program[other] if n == place else None for n in range(len(predicted))]
                beyond.append(_step(None, alone))
    for index, wanted in enumerate(gold):
        found = [
            program[answers[index]] if program is not None and index in answers else None
            for program, answers in zip(predicted, matched, strict=True)
        ]
        steps.append(_step(wanted, found))
    return [*steps, *beyond]


def _step(gold: Any, predicted: Sequence[Any]) -> dict[str, Any]:
    wanted = slots(gold)
    found = [slots(one) for one in predicted]
    paths = dict.fromkeys([*wanted, *(path for one in found for path in one)])
    return {
        "ops": [None if one is None else ops_of([one])[0] for one in (gold, *predicted)],
        "slots": [
            [path, _shown(wanted, path), *([_shown(one, path), mark(wanted, one, path)]
                                           for one in found)]
            for path in paths
        ],
    }  # fmt: skip


def mark(gold: Mapping[str, Any], found: Mapping[str, Any], path: str) -> Mark:
    """How the value of a slot compares with the gold's."""
    if path not in gold:
        return "extra" if path in found else "none"
    if path not in found:
        return "missing"
    return "same" if found[path] == gold[path] else "differs"


def _shown(filled: Mapping[str, Any], path: str) -> str | None:
    """The value of a slot as text; a list in the order in which the scores compare it."""
    value = filled.get(path)
    return f"[{', '.join(value)}]" if isinstance(value, tuple) else value
