"""Apply the policy on sensitive values to programs that state facts of a conversation.

A fact counts as one of a conversation if it names a ``source_episode_id``, or if its program was
compiled from an utterance. Facts of other programs are not checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from text2mem.errors import ExecutionError
from text2mem.ir.ops import Content, Encode, Op, Update
from text2mem.ledger.ledger import Ledger
from text2mem.ledger.policy import SURE
from text2mem.program import Program


def screened(program: Program, ledger: Ledger) -> Program:
    """The program, changed so that facts are pending if the policy asks for a yes to their values.

    Raise ExecutionError "denied" if the policy denies a value, or if it would have to wait and the
    registry's ``confidence_floor`` is 0, which lets nothing wait.
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
    stated_confidence = SURE if confidence is None else confidence
    below_floor = min(stated_confidence, floor / 2)
    if isinstance(op, Update):
        return replace(op, edits={**op.edits, "confidence": below_floor})
    assert isinstance(op, Encode)
    extra = {**op.content.extra, "waits": reason, "confidence": stated_confidence}
    content = replace(op.content, extra=extra)
    return replace(op, content=content, attributes={**op.attributes, "confidence": below_floor})


def _stated(op: Op, program: Program) -> tuple[Any, float | None]:
    """Value and confidence of the fact that an op states of a conversation; None without one."""
    fields: Mapping[str, Any]
    match op:
        case Encode(content=Content(value={"subject": _, "attribute": _, "value": value})):
            fields = op.attributes
        case Update():
            value, fields = op.edits.get("value"), op.edits
        case _:
            return None, None
    of_talk = program.utterance is not None or fields.get("source_episode_id") is not None
    return (value, fields.get("confidence")) if of_talk else (None, None)
