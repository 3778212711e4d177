"""The surface form: what a program looks like as JSON, before anything is interpreted.

These models are the one source of ``schema/``, ``grammars/``, the provider schemas and the op
tables in the docs (docs/language.md, "Ops" and "Target"). They hold strings as they were
written: a time may be ISO 8601 or a phrase, a priority may be an alias. Rules that tie several
fields together stand here as data (``Group``), so that the exported schema and the validator say
the same thing.
"""

from __future__ import annotations

from typing import Literal

from text2mem.ir.surface_args import (
    DeleteArgs,
    DemoteArgs,
    EncodeArgs,
    ExpireArgs,
    LabelArgs,
    LockArgs,
    MergeArgs,
    PromoteArgs,
    RetrieveArgs,
    SplitArgs,
    SummarizeArgs,
    UpdateArgs,
)
from text2mem.ir.surface_target import Group, Surface, Target, Text, Unit

__all__ = ["INSTANCES", "OPEN_OBJECTS", "STAGES", "Group", "Surface", "Target", "Unit"]


class Meta(Surface):
    """Notes of a document's author. None of them grants a right."""

    actor: Text | None = None
    lang: Text | None = None
    trace_id: Text | None = None
    timestamp: Text | None = None
    dry_run: bool | None = None
    confirmation: bool | None = None


class Encode(Surface):
    """Store something new."""

    stage: Literal["ENC"]
    op: Literal["Encode"]
    args: EncodeArgs
    meta: Meta | None = None


class Update(Surface):
    """Change the content or the fields of existing memories."""

    stage: Literal["STO"]
    op: Literal["Update"]
    target: Target
    args: UpdateArgs
    meta: Meta | None = None


class Label(Surface):
    """Add, replace or remove tags and facets."""

    stage: Literal["STO"]
    op: Literal["Label"]
    target: Target
    args: LabelArgs
    meta: Meta | None = None


class Promote(Surface):
    """Raise importance, or schedule a reminder."""

    stage: Literal["STO"]
    op: Literal["Promote"]
    target: Target
    args: PromoteArgs
    meta: Meta | None = None


class Demote(Surface):
    """Lower importance, or archive."""

    stage: Literal["STO"]
    op: Literal["Demote"]
    target: Target
    args: DemoteArgs
    meta: Meta | None = None


class Merge(Surface):
    """Combine several memories into one."""

    stage: Literal["STO"]
    op: Literal["Merge"]
    target: Target
    args: MergeArgs | None = None
    meta: Meta | None = None


class Split(Surface):
    """Cut a memory into smaller ones."""

    stage: Literal["STO"]
    op: Literal["Split"]
    target: Target
    args: SplitArgs
    meta: Meta | None = None


class Delete(Surface):
    """Remove memories, softly unless told otherwise."""

    stage: Literal["STO"]
    op: Literal["Delete"]
    target: Target
    args: DeleteArgs | None = None
    meta: Meta | None = None


class Lock(Surface):
    """Protect memories from change, or unlock them."""

    stage: Literal["STO"]
    op: Literal["Lock"]
    target: Target
    args: LockArgs
    meta: Meta | None = None


class Expire(Surface):
    """Let memories end at a time."""

    stage: Literal["STO"]
    op: Literal["Expire"]
    target: Target
    args: ExpireArgs
    meta: Meta | None = None


class Retrieve(Surface):
    """Find memories and return them."""

    stage: Literal["RET"]
    op: Literal["Retrieve"]
    target: Target
    args: RetrieveArgs | None = None
    meta: Meta | None = None


class Summarize(Surface):
    """Condense memories into a digest."""

    stage: Literal["RET"]
    op: Literal["Summarize"]
    target: Target
    args: SummarizeArgs | None = None
    meta: Meta | None = None


INSTANCES: dict[str, type[Surface]] = {
    model.__name__: model
    for model in (
        Encode, Update, Label, Promote, Demote, Merge,
        Split, Delete, Lock, Expire, Retrieve, Summarize,
    )
}  # fmt: skip
"""The surface model of each op, in the order in which the docs list them."""

STAGES: dict[str, str] = {
    name: model.model_fields["stage"].annotation.__args__[0]  # type: ignore[union-attr]
    for name, model in INSTANCES.items()
}
"""The stage that each op belongs to."""

OPEN_OBJECTS = ("payload", "facets", "structured")
"""Keys whose value is an open object: unknown keys inside are kept, nulls are values."""
