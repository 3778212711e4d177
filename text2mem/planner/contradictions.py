"""Contradictions: what a step asks for that cannot be had together, so that a person is asked."""

from __future__ import annotations

import re

from text2mem.planner.requests import Step

_KEPT = re.compile(
    r"\bkeep (?:it|them|this|that|those|these)\b(?! (?:off|out|away|from|only|until|for|in|on))"
    r"|\b(?:don['’]t|do not|never) (?:delete|remove|erase|forget) (?:it|them|this|that)\b"
    r"|保留(?:着)?(?:它|他们|这条|那条)|(?:别|不要|不能)(?:把它)?删",
    re.IGNORECASE,
)
_EXPIRES = re.compile(r"\b(?:expires?|lapses?|runs? out)\b|过期|到期|失效", re.IGNORECASE)
_NEAR = 32
"""How far behind a step what takes it back may stand."""
_NEGATIVE = re.compile(r"\b(?:minus|negative)\s+0?\.?\d|负\s*0?\.?\d", re.IGNORECASE)
_TWO_WEIGHTS = re.compile(
    r"\bweight\b[^.;]{0,60}?\b(?:to|of)\s+(?:0?\.\d+|[01])\s+and\s+(?:to\s+)?(?:0?\.\d+|[01])\b"
    r"|权重[^，。；]{0,12}?\d*\.\d+[和与及]0?\.\d+"
)
_UPWARDS = re.compile(
    r"\b(?:rais|increas|promot|boost|lift|up\b)|提高|提升|调高|上调|增加", re.IGNORECASE
)


def contradicts(op: str, step: Step) -> bool:
    """Whether a step says things of an op that do not go together."""
    if op in ("Promote", "Demote"):
        return _weighs_twice(step) or bool(
            _NEGATIVE.search(step.words) and _UPWARDS.search(step.words)
        )
    if op == "Delete":
        further = step.evidence.utterance[step.clause.end :][:_NEAR]
        return bool(_KEPT.search(step.words + further))
    if op == "Expire":
        ends = step.own("deadline", "duration")
        return bool(ends) and any(m.value == "cancel-expiry" for m in step.own("flag"))
    if op == "Update":
        before = step.evidence.utterance[: step.clause.start]
        never = any(m.value == "cancel-expiry" for m in step.own("flag"))
        return never and bool(_EXPIRES.search(before))
    return False


def _weighs_twice(step: Step) -> bool:
    """Whether two weights are told, or two ways to change one."""
    weights = {m.value for m in step.own("weight")}
    deltas = {m.value for m in step.own("weight_delta")}
    several = len(weights) > 1 or len(deltas) > 1 or bool(weights and deltas)
    return several or bool(_TWO_WEIGHTS.search(step.words))
