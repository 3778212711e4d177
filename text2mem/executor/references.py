"""Step references: replace ``$n`` in an op by the ids that step n stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import TypeVar

from text2mem.ir.ops import (
    Attributes,
    ByIds,
    Edits,
    Encode,
    Merge,
    Op,
    Ref,
    StepRef,
    TargetedOp,
    Update,
)

A = TypeVar("A", Attributes, Edits)


def refers(op: Op) -> bool:
    """Whether an op contains a step reference."""
    refs: list[Ref | None] = []
    if isinstance(op, Encode):
        refs = [*op.lineage_parents, op.attributes.get("source_episode_id")]
    if isinstance(op, Update):
        refs = [op.edits.get("source_episode_id")]
    if isinstance(op, Merge):
        refs = [op.primary_id]
    if isinstance(op, TargetedOp) and isinstance(op.target, ByIds):
        refs += op.target.ids
    return any(isinstance(ref, StepRef) for ref in refs)


def dereference(op: Op, stands_for: Sequence[tuple[str, ...]]) -> tuple[Op, tuple[str, ...], bool]:
    """Replace the step references of an op by the ids that each earlier step ``stands_for``. Return
    the op, the references of its target or primary that stand for nothing, and whether they leave
    it without a target or a primary, so that it cannot run."""

    def ids(refs: Sequence[Ref]) -> tuple[str, ...]:
        groups = (stands_for[ref.step - 1] if isinstance(ref, StepRef) else (ref,) for ref in refs)
        return tuple(dict.fromkeys(chain.from_iterable(groups)))

    def with_episode(given: A) -> A:
        if isinstance(reference := given.get("source_episode_id"), StepRef):
            given = given.copy()
            del given["source_episode_id"]
            if episodes := ids((reference,)):
                given["source_episode_id"] = episodes[0]
        return given

    if isinstance(op, Encode):
        attributes, parents = with_episode(op.attributes), ids(op.lineage_parents)
        return replace(op, attributes=attributes, lineage_parents=parents), (), False
    if isinstance(op, Update):
        op = replace(op, edits=with_episode(op.edits))
    if isinstance(op, Merge) and isinstance(op.primary_id, StepRef):
        primary = ids((op.primary_id,))
        if not primary:
            return op, (str(op.primary_id),), True
        op = replace(op, primary_id=primary[0])
    empty: tuple[str, ...] = ()
    if isinstance(op, TargetedOp) and isinstance(op.target, ByIds):
        empty = tuple(str(ref) for ref in op.target.ids if not ids((ref,)))
        resolved = ids(op.target.ids)
        if empty and not resolved:
            return op, empty, True
        op = replace(op, target=ByIds(resolved))
    return op, empty, False
