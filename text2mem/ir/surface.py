"""The surface form: what a program looks like as JSON, before anything is interpreted.

These models are the one source of ``schema/``, ``grammars/``, the provider schemas and the op
tables in the docs (docs/language.md, "Ops" and "Target"). They hold strings as they were
written: a time may be ISO 8601 or a phrase, a priority may be an alias. Rules that tie several
fields together stand here as data (``Group``), so that the exported schema and the validator say
the same thing.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from text2mem.ir.surface_target import (
    Facets,
    Group,
    Id,
    Ids,
    Limit,
    No,
    OpName,
    ReadField,
    ReadLevel,
    Span,
    Surface,
    Tags,
    Target,
    Text,
    Time,
    TimeRange,
    Unit,
    Weight,
    WriteLevel,
    Yes,
)

__all__ = ["INSTANCES", "OPEN_OBJECTS", "STAGES", "Group", "Surface", "Target", "Unit"]

# --- args ----------------------------------------------------------------------------------


class Payload(Surface):
    """The content of a memory: exactly one of text, url, structured. Other keys are kept."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True, allow_inf_nan=False)
    text: Text | None = None
    url: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9+.-]*:\S+$")] | None = None
    structured: Annotated[dict[str, Any], Field(min_length=1)] | None = None

    groups = (Group("exactly_one", ("text", "url", "structured"), "payload-one"),)


class Remind(Surface):
    """A reminder: an RFC 5545 recurrence rule, until an instant where one is given."""

    rrule: Text
    until: Time | None = None


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
    skip_embedding: bool | None = None
    lineage_parents: Ids | None = None


class UpdateSet(Attributes):
    """The new values of an Update; at least one."""

    leading = ("text", "url", "structured", "value", "type", "tags")

    text: Text | None = None
    url: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9+.-]*:\S+$")] | None = None
    structured: Annotated[dict[str, Any], Field(min_length=1)] | None = None
    value: Any = None
    weight: Weight | None = None
    ttl: Span | None = None
    expire_at: Time | None = Field(default=None, json_schema_extra={"nullable": True})
    remind: Remind | None = Field(default=None, json_schema_extra={"nullable": True})
    deleted: No | None = None
    archived: No | None = None
    skip_embedding: bool | None = None

    groups = (
        Group("at_most_one", ("text", "url", "structured"), "payload-one"),
        Group("at_most_one", ("ttl", "expire_at"), "expire-one-horizon"),
    )


class UpdateArgs(Surface):
    """Edits fields of existing memories."""

    set: UpdateSet


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
    weight_delta: Annotated[float, Field(ge=-1, le=1)] | None = None
    remind: Remind | None = None
    reason: Text | None = None

    groups = (
        Group("at_most_one", ("priority", "weight", "weight_delta"), "weight-one"),
        Group("at_least_one", ("priority", "weight", "weight_delta", "remind"), "promote-empty"),
    )


class DemoteArgs(Surface):
    """Lowers the weight, or archives."""

    archive: Yes | None = None
    priority: Text | None = None
    weight: Weight | None = None
    weight_delta: Annotated[float, Field(ge=-1, le=1)] | None = None
    reason: Text | None = None

    groups = (
        Group("exactly_one", ("archive", "priority", "weight", "weight_delta"), "demote-one"),
    )


class MergeArgs(Surface):
    """Merges the target's memories into a primary one."""

    strategy: Literal["merge_into_primary"] | None = None
    primary_id: Id
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
    on_expire: Literal["soft_delete", "hard_delete", "demote", "anonymize"] | None = None

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


# --- instances -----------------------------------------------------------------------------


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
    args: MergeArgs
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
