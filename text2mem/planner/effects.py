"""Effects: what a dry run of a draft shows to be wrong with it, as diagnostics for repair.

A draft can be legal and still do nothing, or far too much. What the store says of it goes back to
the model like any other diagnostic; where no redraft helps, the person is asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from text2mem.ir.diagnostic import Diagnostic
from text2mem.ir.ops import READS, AllMemories, Op, TargetedOp
from text2mem.ir.result import ExecutionResult, ProgramResult
from text2mem.ir.segment import HAN
from text2mem.planner.asking import Choice, Question
from text2mem.planner.selection import DESTROYS

EMPTY = "empty-selection"
WHOLE = "selects-everything"
IDLE = "no-change"
CODES = frozenset({EMPTY, WHOLE, IDLE, "refused-by-store"})
"""The codes of this stage; a program that earns only these is legal."""
_EVERYTHING = re.compile(
    r"\b(?:all|every\w*|whole|entire|anything|each)\b|所有|全部|一切|全都|每[一条个]|统统",
    re.IGNORECASE,
)
_FEW = 2
_NAME_OTHERS = "name what is there, in fewer or other words"


def diagnose(
    ops: Sequence[Op], result: ProgramResult, utterance: str, total: int
) -> list[Diagnostic]:
    """What a dry run shows: steps that hit nothing, everything, change nothing, or are refused.

    ``total`` is how many memories the actor may reach.
    """
    found: list[Diagnostic] = []
    for index, (op, step) in enumerate(zip(ops, result.results, strict=False)):
        at = f"/{index}"
        if step.error is not None:
            # A refused program has one result, that of the refused step: the error says which.
            found.append(
                Diagnostic("refused-by-store", step.error.pointer or f"{at}/target",
                           f"{step.error.code}: {step.error.message}", step.error.hint)
            )  # fmt: skip
        elif isinstance(op, TargetedOp):
            found.extend(_judged(op, step, at, utterance, total))
    return found


def _judged(
    op: TargetedOp, step: ExecutionResult, at: str, utterance: str, total: int
) -> list[Diagnostic]:
    hit = len(step.affected)
    if not step.matched and not _refers(op):
        said = "the store holds no memory that this selects"
        return [Diagnostic(EMPTY, f"{at}/target", said, _NAME_OTHERS)]
    if op.name in READS:
        return []
    if (
        total > _FEW
        and hit >= total
        and not isinstance(op.target, AllMemories)
        and not _EVERYTHING.search(utterance)
    ):
        return [
            Diagnostic(WHOLE, f"{at}/target", f"this selects all {total} "
                                              f"memories, which nobody asked for",
                       "select fewer")
        ]  # fmt: skip
    if step.matched and not step.changes and not step.created:
        return [
            Diagnostic(
                IDLE, f"{at}/args", "this changes nothing: it is so already", severity="warning"
            )
        ]
    return []


def absent(phrase: str, step: int) -> Diagnostic:
    """The warning that a step (0-based) names what the store does not hold."""
    said = f'the store holds nothing of "{phrase}"'
    return Diagnostic(EMPTY, f"/{step}/target", said, _NAME_OTHERS, severity="warning")


def _refers(op: TargetedOp) -> bool:
    """Whether the target is the result of an earlier step, which may be empty."""
    ids = getattr(op.target, "ids", ())
    return any(not isinstance(each, str) for each in ids)


def question(diagnostic: Diagnostic, program: Sequence[Any], utterance: str) -> Question | None:
    """What to ask where no redraft helps; None where the program may go as it is.

    What destroys is asked about where it hits nothing, and where it hits everything unasked. Else
    a step may find nothing, and a store refuses for itself.
    """
    step = int(diagnostic.pointer.split("/")[1])
    op = program[step].get("op") if step < len(program) else None
    han = bool(HAN.search(utterance))
    if diagnostic.code == EMPTY and op in DESTROYS:
        text = (
            "没有找到您指的记忆。是哪一条？"
            if han
            else "No memory is what you name. Which one do you mean?"
        )
        return Question(text, "nothing-found")
    if diagnostic.code == WHOLE and op in DESTROYS:
        text = (
            "这会影响所有记忆。确定吗？"
            if han
            else "This would be every memory there is. Do you mean that?"
        )
        label = "全部" if han else "all of them"
        return Question(text, "everything", (Choice(label, list(program), diagnostic.message),))
    return None
