"""Typed ops: what the parser makes of a legal surface form, and what the executor runs.

Frozen, normalised, and free of strings that would have to be read again: instants are aware UTC
datetimes, durations are ``Duration``, priorities have become weights, defaults are filled in.
``dump`` prints the canonical surface form again; ``parse(dump(op)) == op`` holds for every op.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Literal, TypedDict

from text2mem.ir.times.duration import Duration


@dataclass(frozen=True, slots=True)
class StepRef:
    """The ids that step ``step`` (1-based) of the same program stands for."""

    step: int

    def __str__(self) -> str:
        return f"${self.step}"


Ref = str | StepRef
Stage = Literal["ENC", "STO", "RET"]
Unit = Literal["minutes", "hours", "days", "weeks", "months", "years"]
ReadLevel = Literal["public", "team", "private", "custom"]
WriteLevel = Literal["open", "maintainer", "owner_only", "custom"]
STEP = re.compile(r"\$([1-9][0-9]{0,3})")
"""How a step reference is written."""


# --- target --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AbsoluteRange:
    """Both ends inclusive; an absent end is open."""

    start: datetime | None = None
    end: datetime | None = None


@dataclass(frozen=True, slots=True)
class RelativeRange:
    """Resolved when the op runs: "last 7 days" is [now − 7×24 h, now]."""

    direction: Literal["last", "next"]
    amount: int
    unit: Unit


Range = AbsoluteRange | RelativeRange


@dataclass(frozen=True, slots=True)
class ByIds:
    """Exactly these memories, in this order."""

    ids: tuple[Ref, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ByFilter:
    """A conjunction; None and empty mean "no condition"."""

    has_tags: tuple[str, ...] = ()
    match: Literal["all", "any"] = "all"
    not_tags: tuple[str, ...] = ()
    type: str | None = None
    subject: str | None = None
    location: str | None = None
    topic: str | None = None
    attribute: str | None = None
    facets: Mapping[str, Any] = field(default_factory=dict)
    time_range: Range | None = None
    weight_gte: float | None = None
    weight_lte: float | None = None
    expire_before: datetime | None = None
    expire_after: datetime | None = None
    include: tuple[Literal["archived", "deleted"], ...] = ()
    order: Literal["newest", "oldest"] = "newest"
    limit: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BySearch:
    """Ranked hits for words (``query``) or a ``vector``."""

    query: str | None = None
    vector: tuple[float, ...] | None = None
    context: str | None = None
    k: int | None = None
    alpha: float | None = None
    order_by: Literal["relevance", "time", "weight"] = "relevance"
    limit: int | None = None

    @property
    def most(self) -> int | None:
        """How many hits are wanted at most, by ``k`` and ``limit``; None is all."""
        return min((n for n in (self.k, self.limit) if n is not None), default=None)


@dataclass(frozen=True, slots=True)
class AllMemories:
    """Every active memory that the actor may reach."""


Target = ByIds | ByFilter | BySearch | AllMemories


# --- values --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Content:
    """What a memory holds. ``extra`` keeps the other keys of the payload as they were given."""

    kind: Literal["text", "url", "structured"]
    value: str | Mapping[str, Any]
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Remind:
    """A reminder: an RFC 5545 rule without the ``RRULE:`` prefix, and its last instant.

    One that is due once has an instant (``at``) in place of the rule.
    """

    rrule: str | None = None
    until: datetime | None = None
    at: datetime | None = None

    def __post_init__(self) -> None:
        if (self.rrule is None) == (self.at is None):
            raise ValueError("a reminder has either a rule or one instant")


@dataclass(frozen=True, slots=True)
class Exchange:
    """Words of a text and what takes their place, which may be nothing."""

    old: str
    new: str


class Attributes(TypedDict, total=False):
    """What Encode gives and Update changes; an absent key is not touched."""

    type: str
    tags: tuple[str, ...]
    facets: Mapping[str, Any]
    time: datetime
    subject: str
    location: str
    topic: str
    source: str
    read_perm_level: ReadLevel
    write_perm_level: WriteLevel
    read_whitelist: tuple[str, ...]
    read_blacklist: tuple[str, ...]
    write_whitelist: tuple[str, ...]
    write_blacklist: tuple[str, ...]
    valid_from: datetime
    valid_to: datetime
    confidence: float
    source_episode_id: Ref
    retention_policy: str


class Edits(Attributes, total=False):
    """What Update sets. ``expire_at`` and ``remind`` may be None, which cancels them."""

    text: str
    url: str
    structured: Mapping[str, Any]
    value: Any
    weight: float
    ttl: Duration
    expire_at: datetime | None
    remind: Remind | None
    deleted: Literal[False]
    archived: Literal[False]
    skip_embedding: bool


@dataclass(frozen=True, slots=True)
class LockPolicy:
    """Refines a lock by op name; deny before allow before the mode."""

    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    reviewers: tuple[str, ...] = ()
    expires: datetime | None = None


# --- ops -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Op:
    """One typed operation; it is called what its class is."""

    name: ClassVar[str] = ""
    stage: ClassVar[Stage] = "STO"

    def __init_subclass__(cls) -> None:
        cls.name = cls.__name__


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetedOp(Op):
    """An op about existing memories."""

    target: Target


@dataclass(frozen=True, slots=True, kw_only=True)
class Encode(Op):
    """Store one new memory."""

    stage: ClassVar[Stage] = "ENC"
    content: Content
    attributes: Attributes = field(default_factory=Attributes)
    expire_at: datetime | None = None
    remind: Remind | None = None
    skip_embedding: bool = False
    lineage_parents: tuple[Ref, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Update(TargetedOp):
    """Edit fields, or (``replace``) words of the text; never both."""

    edits: Edits = field(default_factory=Edits)
    replace: Exchange | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Label(TargetedOp):
    """Tags and facets: add, replace, remove. None means "not touched"."""

    tags: tuple[str, ...] | None = None
    facets: Mapping[str, Any] | None = None
    mode: Literal["add", "replace", "remove"] = "add"


@dataclass(frozen=True, slots=True, kw_only=True)
class Promote(TargetedOp):
    """Weight up, and/or a reminder."""

    weight: float | None = None
    weight_delta: float | None = None
    remind: Remind | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Demote(TargetedOp):
    """Weight down, or archive; with ``until`` both are then as they were before."""

    archive: bool = False
    weight: float | None = None
    weight_delta: float | None = None
    until: datetime | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge(TargetedOp):
    """Join the target's memories into ``primary_id``, None being the first of them."""

    primary_id: Ref | None = None
    soft_delete_children: bool = True


SPLIT_PARAMS: Mapping[str, tuple[str, ...]] = {
    "by_sentences": ("max_sentences",),
    "by_chunks": ("chunk_size", "overlap"),
    "custom": ("instruction",),
}
"""What each strategy of a Split takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Split(TargetedOp):
    """Cut each target into children. Sizes are in sentences or characters."""

    strategy: Literal["by_sentences", "by_chunks", "custom"]
    max_sentences: int = 1
    chunk_size: int = 500
    overlap: int = 0
    instruction: str | None = None
    inherit_all: bool = True
    keep_parent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Delete(TargetedOp):
    """Hide, or erase where ``soft`` is false."""

    soft: bool = True
    older_than: Duration | None = None
    time_range: Range | None = None
    cascade: bool = False
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock(TargetedOp):
    """Restrict what may be done; mode none unlocks."""

    mode: Literal["read_only", "append_only", "none"]
    reason: str | None = None
    policy: LockPolicy = field(default_factory=LockPolicy)


OnExpire = Literal["soft_delete", "hard_delete", "demote", "anonymize"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expire(TargetedOp):
    """End at ``until``, or ``ttl`` after the op runs."""

    ttl: Duration | None = None
    until: datetime | None = None
    on_expire: OnExpire = "soft_delete"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOp(TargetedOp):
    """What Retrieve and Summarize share."""

    stage: ClassVar[Stage] = "RET"
    as_of: datetime | None = None
    known_at: datetime | None = None
    include_archived: bool = False
    include_deleted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieve(ReadOp):
    """Rows, with the fields that ``include`` names (empty: the default ones)."""

    include: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Summarize(ReadOp):
    """A digest of at most ``max_tokens`` tokens."""

    focus: str | None = None
    max_tokens: int = 256
    lang: str | None = None


OPS: dict[str, type[Op]] = {
    op.name: op
    for op in (
        Encode, Update, Label, Promote, Demote, Merge,
        Split, Delete, Lock, Expire, Retrieve, Summarize,
    )
}  # fmt: skip
READS = frozenset({"Retrieve", "Summarize"})
