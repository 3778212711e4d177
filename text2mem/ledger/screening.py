"""The policy on values, applied to programs that state facts out of a conversation.

Such a fact names the episode that it was heard in, or was compiled from what somebody said. A fact
that a program states by hand is not checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from text2mem.errors import ExecutionError
from text2mem.ir.ops import Encode, Op, Update
from text2mem.ledger.ledger import Ledger
from text2mem.ledger.reconcile import SURE
from text2mem.program import Program


def screened(program: Program, ledger: Ledger) -> Program:
    """The program, changed so that values wait where the policy asks for a yes.

    Raises ExecutionError "denied" where the policy denies one, or where it would have to wait and
    the registry's confidence_floor lets nothing wait.
    """
    ops = tuple(_screened(op, index, program, ledger) for index, op in enumerate(program.ops))
    return replace(program, ops=ops)


def _screened(op: Op, index: int, program: Program, ledger: Ledger) -> Op:
    stated, confidence = _stated(op, program)
    verdict, reason = ledger.policy.verdict_on(stated)
    if verdict == "keep":
        return op
    floor = ledger.registry.confidence_floor
    if verdict == "deny" or not floor:
        why = reason if verdict == "deny" else f"{reason}, and the registry lets nothing wait"
        raise ExecutionError(
            "denied", f"this value is not kept: {why}", pointer=f"/{index}",
            hint="leave it out, or change `values` in the policy",
        )  # fmt: skip
    sure = SURE if confidence is None else confidence
    unsure = min(sure, floor / 2)
    if isinstance(op, Update):
        return replace(op, edits={**op.edits, "confidence": unsure})
    assert isinstance(op, Encode)
    extra = {**op.content.extra, "waits": reason, "confidence": sure}
    content = replace(op.content, extra=extra)
    return replace(op, content=content, attributes={**op.attributes, "confidence": unsure})


def _stated(op: Op, program: Program) -> tuple[Any, float | None]:
    """The value and the confidence of a fact that an op states out of a conversation."""
    said = program.utterance is not None
    match op:
        case Encode() if said or op.attributes.get("source_episode_id") is not None:
            held = op.content.value
            is_fact = isinstance(held, Mapping) and {"subject", "attribute", "value"} <= held.keys()
            stated = held["value"] if isinstance(held, Mapping) and is_fact else None
            return stated, op.attributes.get("confidence")
        case Update() if said or op.edits.get("source_episode_id") is not None:
            return op.edits.get("value"), op.edits.get("confidence")
    return None, None
