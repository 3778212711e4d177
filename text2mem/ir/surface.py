"""The surface form: a program as JSON, before its values are interpreted.

These models are the single source of ``schema/``, ``grammars/``, the provider schemas and the op
tables in the docs (docs/language.md, "Ops" and "Target"). They hold strings as they were written: a
time may be ISO 8601 or a phrase, a priority an alias. The exported schema and the validator share
the rules on several keys (``Group``).
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, create_model

from text2mem.ir.ops import CONTENTS, OnExpire, ReadLevel, WriteLevel
from text2mem.ir.surface_target import (
    Facets,
    Group,
    Id,
    Ids,
    Limit,
    No,
    OpName,
    ReadField,
    Span,
    Surface,
    Tags,
    Target,
    Text,
    Time,
    TimeRange,
    Weight,
    Yes,
)

__all__ = ["INSTANCES", "OPEN_OBJECTS", "STAGES", "Group", "Surface", "Target"]

_Delta = Annotated[float, Field(ge=-1, le=1)]


class _Content(Surface):
    """What a memory holds."""

    text: Text | None = None
    url: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9+.-]*:\S+$")] | None = None
    structured: Annotated[dict[str, Any], Field(min_length=1)] | None = None


class Payload(_Content):
    """The content of a memory: exactly one of text, url, structured. Other keys are kept."""

    model_config = ConfigDict(extra="allow")

    groups = (Group("exactly_one", CONTENTS, "payload-one"),)


class Remind(Surface):
    """A reminder: once, `at` an instant, or by an RFC 5545 recurrence rule, from `start` (now, if
    it is left out) and `until` when. With both it is due `at` the instant, then by the rule."""

    at: Time | None = None
    rrule: Text | None = None
    start: Time | None = None
    until: Time | None = None

    groups = (
        Group("at_least_one", ("at", "rrule"), "remind-one"),
        Group("needs", ("start", "rrule"), "remind-start"),
        Group("needs", ("until", "rrule"), "remind-until"),
    )


class Attributes(Surface):
    """What Encode gives to a memory and Update may change."""

    type: Text | None = None
    tags: Tags | None = None
    facets: Facets | None = None
    time: Time | None = None
    subject: Text | None = None
    location: Text | None = None
    topic: Text | None = None
    source: Text | None = None
    read_perm_level: ReadLevel | None = None
    write_perm_level: WriteLevel | None = None
    read_whitelist: list[Text] | None = None
    read_blacklist: list[Text] | None = None
    write_whitelist: list[Text] | None = None
    write_blacklist: list[Text] | None = None
    valid_from: Time | None = None
    valid_to: Time | None = None
    confidence: Weight | None = None
    source_episode_id: Text | None = None
    retention_policy: Text | None = None


class EncodeArgs(Attributes):
    """One new memory."""

    leading = ("payload", "type", "tags")
    payload: Payload
    expire_at: Time | None = None
    remind: Remind | None = None
    skip_embedding: bool | None = None
    lineage_parents: Ids | None = None


class UpdateSet(Attributes, _Content):
    """The new values of an Update; at least one."""

    leading = (*CONTENTS, "value", "type", "tags")

    value: Any = None
    weight: Weight | None = None
    ttl: Span | None = None
    expire_at: Time | None = Field(default=None, json_schema_extra={"nullable": True})
    remind: Remind | None = Field(default=None, json_schema_extra={"nullable": True})
    deleted: No | None = None
    archived: No | None = None
    skip_embedding: bool | None = None

    groups = (
        Group("at_most_one", CONTENTS, "payload-one"),
        Group("at_most_one", ("ttl", "expire_at"), "expire-one-horizon"),
    )


class Replace(Surface):
    """Words of the text, and the words that take their place; with none, they are removed."""

    old: Text
    new: str


class UpdateArgs(Surface):
    """Edits existing memories: words exchanged within the text, or fields set."""

    replace: Replace | None = None
    set: UpdateSet | None = None

    groups = (Group("exactly_one", ("replace", "set"), "update-one"),)


class LabelArgs(Surface):
    """Adds, replaces or removes tags and facets."""

    tags: Tags | None = None
    facets: Facets | None = None
    mode: Literal["add", "replace", "remove"] | None = None

    groups = (Group("at_least_one", ("tags", "facets"), "label-empty"),)


class PromoteArgs(Surface):
    """Raises the weight, and/or schedules a reminder."""

    priority: Text | None = None
    weight: Weight | None = None
    weight_delta: _Delta | None = None
    remind: Remind | None = None
    reason: Text | None = None

    groups = (
        Group("at_most_one", ("priority", "weight", "weight_delta"), "weight-one"),
        Group("at_least_one", ("priority", "weight", "weight_delta", "remind"), "promote-empty"),
    )


class DemoteArgs(Surface):
    """Lowers the weight, or archives; where `until` is given, for a while."""

    archive: Yes | None = None
    priority: Text | None = None
    weight: Weight | None = None
    weight_delta: _Delta | None = None
    until: Time | None = None
    reason: Text | None = None

    groups = (
        Group("exactly_one", ("archive", "priority", "weight", "weight_delta"), "demote-one"),
    )


class MergeArgs(Surface):
    """Merges the target's memories into a primary one, by default the first of the target."""

    strategy: Literal["merge_into_primary"] | None = None
    primary_id: Id | None = None
    soft_delete_children: bool | None = None


class SplitParams(Surface):
    """`max_sentences` a child; `chunk_size`, `overlap` in characters; `instruction` for a model."""

    max_sentences: Limit | None = None
    chunk_size: Annotated[int, Field(ge=1)] | None = None
    overlap: Annotated[int, Field(ge=0)] | None = None
    instruction: Text | None = None


class SplitArgs(Surface):
    """Splits a memory into children."""

    strategy: Literal["by_sentences", "by_chunks", "custom"]
    params: SplitParams | None = None
    inherit_all: bool | None = None
    keep_parent: bool | None = None


class DeleteArgs(Surface):
    """Hides (soft, the default) or erases."""

    soft: bool | None = None
    older_than: Span | None = None
    time_range: TimeRange | None = None
    cascade: bool | None = None
    reason: Text | None = None


class LockPolicy(Surface):
    """Refines a lock by op; `expires` ends it; reviewers may change it."""

    allow: list[OpName] | None = None
    deny: list[OpName] | None = None
    reviewers: list[Text] | None = None
    expires: Time | None = None


class LockArgs(Surface):
    """Restricts what may be done to a memory; `none` unlocks."""

    mode: Literal["read_only", "append_only", "none"]
    reason: Text | None = None
    policy: LockPolicy | None = None


class ExpireArgs(Surface):
    """Ends a memory's life after `ttl` or at `until`."""

    ttl: Span | None = None
    until: Time | None = None
    on_expire: OnExpire | None = None

    groups = (Group("exactly_one", ("ttl", "until"), "expire-one-horizon"),)


class ReadArgs(Surface):
    """What a read may see: `as_of` in valid time, `known_at` in recording time."""

    as_of: Time | None = None
    known_at: Time | None = None
    include_archived: bool | None = None
    include_deleted: bool | None = None


class RetrieveArgs(ReadArgs):
    """Returns rows; `include` names the fields."""

    leading = ("include",)

    include: Annotated[list[ReadField], Field(min_length=1)] | None = None


class SummarizeArgs(ReadArgs):
    """Returns a digest with the ids that it rests on."""

    leading = ("focus", "max_tokens", "lang")

    focus: Text | None = None
    max_tokens: Annotated[int, Field(ge=1, le=32_768)] | None = None
    lang: Text | None = None


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
"""Of each op: stage, name, model of the args, whether they are required, description."""


def _instance(
    stage: str, op: str, args: type[Surface], needed: bool, meaning: str
) -> type[Surface]:
    """Make the model of an op's instance. An op of the stage ENC has no target."""
    target: dict[str, Any] = {} if stage == "ENC" else {"target": (Target, ...)}
    fields: dict[str, Any] = {
        "stage": (Literal[stage], ...), "op": (Literal[op], ...), **target,
        "args": (args, ...) if needed else (args | None, None), "meta": (Meta | None, None),
    }  # fmt: skip
    return create_model(op, __base__=Surface, __doc__=meaning, __module__=__name__, **fields)


INSTANCES: dict[str, type[Surface]] = {row[1]: _instance(*row) for row in _OPS}
"""The model of each op's instance by its name, in the order of the docs."""

STAGES: dict[str, str] = {row[1]: row[0] for row in _OPS}
"""The stage that each op belongs to."""

OPEN_OBJECTS = ("payload", "facets", "structured")
"""Keys whose value is an open object: unknown keys in it are kept, and null is a value."""
