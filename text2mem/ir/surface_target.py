"""The types of the surface form's fields, the base of its objects, and targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from text2mem.ir.ops import Unit

OpName = Literal[
    "Encode", "Update", "Label", "Promote", "Demote", "Merge",
    "Split", "Delete", "Lock", "Expire", "Retrieve", "Summarize",
]  # fmt: skip
ReadField = Literal[
    "id", "text", "payload", "type", "tags", "facets", "time", "subject", "location", "topic",
    "source", "weight", "score", "created_at", "updated_at", "expire_at", "lock_mode", "owner",
    "attribute", "value", "valid_from", "valid_to", "confidence", "lineage_parents",
    "lineage_children",
]  # fmt: skip


def _boolean(value: object) -> object:
    """Refuse 1 and 0 where true or false is expected: they compare equal in Python."""
    if not isinstance(value, bool):
        raise ValueError("expected true or false")
    return value


Yes = Annotated[Literal[True], BeforeValidator(_boolean)]
No = Annotated[Literal[False], BeforeValidator(_boolean)]
Text = Annotated[str, Field(min_length=1)]
Tag = Annotated[str, Field(min_length=1, pattern=r"\S")]
Tags = list[Tag]
Id = Annotated[str, Field(pattern=r"^(0|[1-9][0-9]{0,17}|\$[1-9][0-9]{0,3})$")]
Ids = Annotated[list[Id], Field(min_length=1)]
Time = Annotated[str, Field(min_length=1, max_length=100)]
Span = Annotated[str, Field(min_length=1, max_length=100)]
Weight = Annotated[float, Field(ge=0, le=1)]
Limit = Annotated[int, Field(ge=1, le=100_000)]
Facets = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Group:
    """A rule on which of some keys an object has: how many, or that the first needs the second."""

    kind: Literal["exactly_one", "at_most_one", "at_least_one", "needs"]
    keys: tuple[str, ...]
    code: str
    """The code of the diagnostic for a violation."""


class Surface(BaseModel):
    """A closed object of the surface form. An optional key may be absent, but not null."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)
    groups: ClassVar[tuple[Group, ...]] = ()
    leading: ClassVar[tuple[str, ...]] = ()
    """The keys that come first in schemas and grammars, and so in a model's output."""


class TimeRange(Surface):
    """A stretch of time, both ends inclusive: `start`/`end`, or `relative` with amount and unit."""

    start: Time | None = None
    end: Time | None = None
    relative: Literal["last", "next"] | None = None
    amount: Annotated[int, Field(ge=1, le=100_000)] | None = None
    unit: Unit | None = None


class Filter(Surface):
    """A conjunction of conditions on the fields of a memory; at least one."""

    has_tags: Annotated[Tags, Field(min_length=1)] | None = None
    match: Literal["all", "any"] | None = None
    not_tags: Annotated[Tags, Field(min_length=1)] | None = None
    type: Text | None = None
    subject: Text | None = None
    location: Text | None = None
    topic: Text | None = None
    attribute: Text | None = None
    facets: Annotated[Facets, Field(min_length=1)] | None = None
    time_range: TimeRange | None = None
    weight_gte: Weight | None = None
    weight_lte: Weight | None = None
    expire_before: Time | None = None
    expire_after: Time | None = None
    include: list[Literal["archived", "deleted"]] | None = None
    order: Literal["newest", "oldest"] | None = None
    limit: Limit | None = None

    groups = (
        Group("at_least_one", (
            "has_tags", "not_tags", "type", "subject", "location", "topic", "attribute", "facets",
            "time_range", "weight_gte", "weight_lte", "expire_before", "expire_after", "include",
        ), "filter-empty"),
    )  # fmt: skip


class Intent(Surface):
    """What a search looks for: words, or a vector."""

    query: Text | None = None
    vector: Annotated[list[float], Field(min_length=1)] | None = None
    context: Text | None = None

    groups = (Group("exactly_one", ("query", "vector"), "intent-one"),)


class Overrides(Surface):
    """How a search ranks: `k` hits, `alpha` the share of vectors (0 words only, 1 vectors only)."""

    k: Limit | None = None
    alpha: Weight | None = None
    order_by: Literal["relevance", "time", "weight"] | None = None


class Search(Surface):
    """A ranked search over words and vectors."""

    intent: Intent
    overrides: Overrides | None = None
    limit: Limit | None = None


class Target(Surface):
    """Which memories an op is about: exactly one selector."""

    ids: Ids | None = None
    filter: Filter | None = None
    search: Search | None = None
    all: Yes | None = None

    groups = (Group("exactly_one", ("ids", "filter", "search", "all"), "target-one-selector"),)
