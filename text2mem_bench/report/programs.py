"""A gold program and what was predicted instead, step by step and slot by slot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from text2mem_bench.metrics import ops_of, slots, step_pairs

Mark = Literal["same", "differs", "missing", "extra", "none"]
"""Of a slot beside the gold's: equal, another value, absent, not in the gold, absent from both."""
Program = Sequence[Any]


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
