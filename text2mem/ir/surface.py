"""The surface form: what a program looks like as JSON, before anything is interpreted.

These models are the one source of ``schema/``, ``grammars/``, the provider schemas and the op
tables in the docs (docs/language.md, "Ops" and "Target"). They hold strings as they were
written: a time may be ISO 8601 or a phrase, a priority may be an alias. Rules that tie several
fields together stand here as data (``Group``), so that the exported schema and the validator say
the same thing.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import create_model

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


_OPS: tuple[tuple[str, str, type[Surface], bool, str], ...] = (
    ("ENC", "Encode", EncodeArgs, True, "Store something new."),
    ("STO", "Update", UpdateArgs, True, "Change the content or the fields of existing memories."),
    ("STO", "Label", LabelArgs, True, "Add, replace or remove tags and facets."),
    ("STO", "Promote", PromoteArgs, True, "Raise importance, or schedule a reminder."),
    ("STO", "Demote", DemoteArgs, True, "Lower importance, or archive."),
    ("STO", "Merge", MergeArgs, False, "Combine several memories into one."),
    ("STO", "Split", SplitArgs, True, "Cut a memory into smaller ones."),
    ("STO", "Delete", DeleteArgs, False, "Remove memories, softly unless told otherwise."),
    ("STO", "Lock", LockArgs, True, "Protect memories from change, or unlock them."),
    ("STO", "Expire", ExpireArgs, True, "Let memories end at a time."),
    ("RET", "Retrieve", RetrieveArgs, False, "Find memories and return them."),
    ("RET", "Summarize", SummarizeArgs, False, "Condense memories into a digest."),
)
"""Of each op its stage, name, args, whether it has to have some, and what it does."""


def _instance(
    stage: str, op: str, args: type[Surface], needed: bool, meaning: str
) -> type[Surface]:
    """The model of an op. What makes something new has no target."""
    target: dict[str, Any] = {} if stage == "ENC" else {"target": (Target, ...)}
    fields: dict[str, Any] = {
        "stage": (Literal[stage], ...), "op": (Literal[op], ...), **target,
        "args": (args, ...) if needed else (args | None, None), "meta": (Meta | None, None),
    }  # fmt: skip
    return create_model(op, __base__=Surface, __doc__=meaning, __module__=__name__, **fields)


INSTANCES: dict[str, type[Surface]] = {row[1]: _instance(*row) for row in _OPS}
"""The surface model of each op, in the order in which the docs list them."""

STAGES: dict[str, str] = {row[1]: row[0] for row in _OPS}
"""The stage that each op belongs to."""

OPEN_OBJECTS = ("payload", "facets", "structured")
"""Keys whose value is an open object: unknown keys inside are kept, nulls are values."""
