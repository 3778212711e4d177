"""The document of a registry: its models, and the check that finds every fault."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic import ValidationError as PydanticError

from text2mem.errors import ConfigurationError
from text2mem.ir.ops import OnExpire
from text2mem.ir.pointers import path_of, pointer_to
from text2mem.ir.registry import CONFIDENCE_FLOOR, Cardinality, Sensitivity
from text2mem.ir.times.duration import DAY, Duration, UnreadableTime
from text2mem.ir.values import FOR_TEXT, Normaliser, ValueType
from text2mem.ir.words.naming import name_key

Name = Annotated[str, Field(min_length=1, max_length=200)]


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class AttributeEntry(_Closed):
    """An attribute, or all attributes that a pattern with * matches."""

    value_type: ValueType = Field(
        "any", description="The type of a value; a value of another type is refused."
    )
    cardinality: Cardinality = Field("one", description="How many values hold at a time.")
    normaliser: Normaliser = Field(
        "trim", description="How a string is written before it is stored and compared."
    )
    retention: Name | None = Field(
        None, description="The retention class of a fact that names none."
    )
    sensitivity: Sensitivity = Field(
        "normal", description="How sensitive values are, for policies."
    )


class TypeEntry(_Closed):
    """A memory type."""

    retention: Name | None = Field(
        None, description="The retention class of a memory that names none."
    )


class RetentionEntry(_Closed):
    """A retention class."""

    keep: Annotated[str, Field(min_length=2, max_length=100)] | None = Field(
        description="An ISO 8601 duration, up to 1000 years; null is for ever."
    )
    on_expire: OnExpire = Field("soft_delete", description="What happens to the memory then.")


class RegistryDocument(_Closed):
    """The attributes, memory types and retention classes of a tenant."""

    version: int = Field(
        ge=1, le=2**53, description="Greater than the version of the registry that it replaces."
    )
    confidence_floor: float = Field(
        CONFIDENCE_FLOOR, ge=0, le=1, description="The confidence below which a fact is pending."
    )
    retention: dict[Name, RetentionEntry] = Field({}, description="Retention classes by name.")
    types: dict[Name, TypeEntry] = Field({}, description="Memory types by name.")
    attributes: dict[Name, AttributeEntry] = Field(
        {}, description="Attributes by name or pattern, such as *_deadline."
    )


def checked(document: Any) -> RegistryDocument:
    """Return the document as a model. Raises ConfigurationError with all faults and pointers."""
    read: RegistryDocument | None = None
    faults: list[Fault] = []
    try:
        read = RegistryDocument.model_validate(document)
    except PydanticError as rejection:
        errors = rejection.errors(include_url=False)
        faults = [_structural(path_of(error, document), error) for error in errors]
    if isinstance(document, Mapping):
        faults += _inconsistent(document)
    if faults or read is None:
        raise illegal("registry", faults)
    return read


def illegal(kind: str, faults: Sequence[Fault]) -> ConfigurationError:
    """The error for a document of a kind such as "registry", with the pointers of its faults."""
    lines = "".join(f"\n  - {pointer_to(path) or '/'}: {what}" for path, what in faults)
    count = "a fault" if len(faults) == 1 else f"{len(faults)} faults"
    return ConfigurationError(
        f"the {kind} has {count}:{lines}", hint=f"its form: schema/{kind}.v1.schema.json"
    )


Fault = tuple[tuple[Any, ...], str]
"""The path of keys to a fault, and its message."""
_ENTRIES: dict[str, type[BaseModel]] = {
    "retention": RetentionEntry, "types": TypeEntry, "attributes": AttributeEntry,
}  # fmt: skip
"""The model of the entries of each section of a document."""


def _structural(parts: tuple[Any, ...], error: Any) -> Fault:
    if error["type"] == "extra_forbidden":
        model = RegistryDocument if len(parts) == 1 else _ENTRIES[parts[0]]
        known = list(model.model_fields)
        near = difflib.get_close_matches(str(parts[-1]), known, n=1)
        hint = f"did you mean '{near[0]}'?" if near else f"known keys: {', '.join(known)}"
        return parts, f"'{parts[-1]}' is not a key here; {hint}"
    if error["type"] == "missing":
        return parts, f"'{parts[-1]}' is missing"
    if error["type"] in ("model_type", "dict_type"):
        return parts, "an object belongs here"
    return parts, error["msg"][:1].lower() + error["msg"][1:]


def _inconsistent(document: Mapping[str, Any]) -> Iterator[Fault]:
    """Yield faults that the models do not express. Parts of a wrong type are left to them."""
    sections = {name: _entries(document, name) for name in _ENTRIES}
    for section, entries in sections.items():
        seen: dict[str, str] = {}
        for name in entries:
            if name.isspace():
                yield (section, name), "a name is not blank"
            elif name != name.strip():
                yield (section, name), "a name has no blanks around it"
            other = seen.setdefault(name_key(name), name)
            if other != name:
                yield (section, name), f"the same name as '{other}', but for spelling"
    for name, entry in sections["retention"].items():
        keep = entry.get("keep")
        if isinstance(keep, str) and 2 <= len(keep) <= 100 and not _usable(keep):
            what = f"'{keep}' is no ISO 8601 duration of more than 0 and up to 1000 years"
            yield ("retention", name, "keep"), what
    known = {name_key(name) for name in sections["retention"]}
    for section in ("types", "attributes"):
        for name, entry in sections[section].items():
            retention = entry.get("retention")
            if isinstance(retention, str) and retention and name_key(retention) not in known:
                yield (section, name, "retention"), f"there is no retention class '{retention}'"
    for name, entry in sections["attributes"].items():
        normaliser, value_type = entry.get("normaliser"), entry.get("value_type", "any")
        if normaliser in FOR_TEXT and value_type in ("number", "boolean", "date", "instant"):
            what = f"'{normaliser}' is for text, and the value is of type {value_type}"
            yield ("attributes", name, "normaliser"), what


def _entries(document: Mapping[str, Any], section: str) -> dict[str, Mapping[str, Any]]:
    """The entries of a section, by name. An entry that is no object counts as empty."""
    found = document.get(section)
    named = found.items() if isinstance(found, Mapping) else ()
    return {k: v if isinstance(v, Mapping) else {} for k, v in named if isinstance(k, str)}


def _usable(keep: str) -> bool:
    """Whether a duration is longer than zero and at most 1,000 years."""
    try:
        length = Duration.parse(keep)
    except UnreadableTime:
        return False
    return length.is_positive and length.months / 12 + length.seconds / (366 * DAY) <= 1000
