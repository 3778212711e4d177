"""Typed ops: the output of the parser and the input of the executor.

They are frozen and normalised: instants are aware UTC datetimes, durations are ``Duration``,
priorities are weights, and absent arguments have their defaults.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Literal, TypedDict

from text2mem.ir.times.duration import Duration


@dataclass(frozen=True, slots=True)
class StepRef:
    """A reference to the ids that step ``step`` (from 1) of the same program ended with."""

    step: int

    def __str__(self) -> str:
        return f"${self.step}"


Ref = str | StepRef
Stage = Literal["ENC", "STO", "RET"]
Unit = Literal["minutes", "hours", "days", "weeks", "months", "years"]
ReadLevel = Literal["public", "team", "private", "custom"]
WriteLevel = Literal["open", "maintainer", "owner_only", "custom"]
STEP = re.compile(r"\$([1-9][0-9]{0,3})")
"""The written form of a step reference, such as ``$1``."""


@dataclass(frozen=True, slots=True)
class AbsoluteRange:
    """A range of time between two instants, both inclusive. An absent end is open."""

    start: datetime | None = None
    end: datetime | None = None


@dataclass(frozen=True, slots=True)
class RelativeRange:
    """A range of time that is resolved when the op runs: "last 7 days" is [now − 7×24 h, now]."""

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
    """The memories that fulfil all conditions. None or an empty value is no condition."""

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
    """The best hits for words, or a ``vector``. ``context`` adds words for the embedder."""

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
    """Every active memory that the actor may read."""


Target = ByIds | ByFilter | BySearch | AllMemories


CONTENTS: tuple[Literal["text", "url", "structured"], ...] = ("text", "url", "structured")
"""The keys of a payload that hold its content, one in each payload."""


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a memory. ``extra`` holds the other keys of the payload as they were given."""

    kind: Literal["text", "url", "structured"]
    value: str | Mapping[str, Any]
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """What is shown and searched: the text or url; a structured payload as ``as_lines``."""
        return self.value if isinstance(self.value, str) else as_lines(self.value)


def as_lines(structured: Mapping[str, Any]) -> str:
    """One line ``key: value`` for each key. Other values than strings are JSON with sorted keys."""
    return "\n".join(
        f"{key}: {value}"
        if isinstance(value, str)
        else f"{key}: {json.dumps(value, ensure_ascii=False, sort_keys=True)}"
        for key, value in structured.items()
    )


def beside_content(payload: Mapping[str, Any]) -> dict[str, Any]:
    """What a payload holds beside its content."""
    return {key: value for key, value in payload.items() if key not in CONTENTS}


@dataclass(frozen=True, slots=True)
class Remind:
    """A reminder: recurring, by an RFC 5545 rule (``rrule``, without the prefix ``RRULE:``) that
    counts from ``start`` (else from now) up to ``until``, or once, at an instant (``at``), or both:
    first at the instant, and then by the rule."""

    rrule: str | None = None
    until: datetime | None = None
    at: datetime | None = None
    start: datetime | None = None

    def __post_init__(self) -> None:
        if self.rrule is None and self.at is None:
            raise ValueError("a reminder has a rule or an instant")


@dataclass(frozen=True, slots=True)
class Exchange:
    """Words of a text, and the words that replace them. With an empty ``new`` they are removed."""

    old: str
    new: str


class Attributes(TypedDict, total=False):
    """The fields of a memory that Encode can give and Update can change."""

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
    """The fields that Update sets. None for ``expire_at`` or ``remind`` removes them."""

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
    """Exceptions from the mode of a lock, by names of ops; ``deny`` precedes ``allow``."""

    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    reviewers: tuple[str, ...] = ()
    expires: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Op:
    """One typed op. Its name is that of its class."""

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
    """Set fields (``edits``), or exchange words of the content (``replace``); never both."""

    edits: Edits = field(default_factory=Edits)
    replace: Exchange | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Label(TargetedOp):
    """Add, replace or remove tags and facets. None leaves them as they are."""

    tags: tuple[str, ...] | None = None
    facets: Mapping[str, Any] | None = None
    mode: Literal["add", "replace", "remove"] = "add"


@dataclass(frozen=True, slots=True, kw_only=True)
class Promote(TargetedOp):
    """Raise the weight, or set a reminder, or both."""

    weight: float | None = None
    weight_delta: float | None = None
    remind: Remind | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Demote(TargetedOp):
    """Lower the weight, or archive. At ``until``, what has been changed is restored."""

    archive: bool = False
    weight: float | None = None
    weight_delta: float | None = None
    until: datetime | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge(TargetedOp):
    """Join the target's memories into ``primary_id``, by default the first that is not deleted."""

    primary_id: Ref | None = None
    soft_delete_children: bool = True


SPLIT_PARAMS: Mapping[str, tuple[str, ...]] = {
    "by_sentences": ("max_sentences",),
    "by_chunks": ("chunk_size", "overlap"),
    "custom": ("instruction",),
}
"""The params of each strategy of a Split."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Split(TargetedOp):
    """Cut each memory of the target into children. ``max_sentences`` is the size of a child in
    sentences; ``chunk_size`` and ``overlap`` are in characters."""

    strategy: Literal["by_sentences", "by_chunks", "custom"]
    max_sentences: int = 1
    chunk_size: int = 500
    overlap: int = 0
    instruction: str | None = None
    inherit_all: bool = True
    keep_parent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Delete(TargetedOp):
    """Hide memories, or erase them. ``older_than`` and ``time_range`` narrow the target."""

    soft: bool = True
    older_than: Duration | None = None
    time_range: Range | None = None
    cascade: bool = False
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock(TargetedOp):
    """Lock memories. The mode ``none`` unlocks them."""

    mode: Literal["read_only", "append_only", "none"]
    reason: str | None = None
    policy: LockPolicy = field(default_factory=LockPolicy)


OnExpire = Literal["soft_delete", "hard_delete", "demote", "anonymize"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expire(TargetedOp):
    """End memories at ``until``, or ``ttl`` after the op runs."""

    ttl: Duration | None = None
    until: datetime | None = None
    on_expire: OnExpire = "soft_delete"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOp(TargetedOp):
    """A read: of facts that are valid at ``as_of``, of what had been recorded by ``known_at``."""

    stage: ClassVar[Stage] = "RET"
    as_of: datetime | None = None
    known_at: datetime | None = None
    include_archived: bool = False
    include_deleted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieve(ReadOp):
    """Return rows with the fields that ``include`` names; the default fields if it is empty."""

    include: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Summarize(ReadOp):
    """Return a digest of at most ``max_tokens`` tokens."""

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
"""The class of each op, by its name."""
READS = frozenset({"Retrieve", "Summarize"})
"""The ops that write nothing."""
