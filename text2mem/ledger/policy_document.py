"""A policy as it is written down: its shape, its JSON Schema, and everything wrong with one."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic import ValidationError as PydanticError

from text2mem.errors import ConfigurationError
from text2mem.ir.registry import Sensitivity
from text2mem.ledger.episode import Role
from text2mem.ledger.sensitive import Kind

SCHEMA_ID = "urn:text2mem:policy:v1"

_FAULTS = {
    "tuple_type": "must be a list", "extra_forbidden": "there is no such field",
    "model_type": "must be an object of fields", "dict_type": "must be an object",
}  # fmt: skip
"""Faults that pydantic words in terms of Python; the others are told as they are."""

Name = Annotated[str, Field(min_length=1, max_length=200)]
Share = Annotated[float, Field(ge=0, le=1)]


class PolicyDocument(BaseModel):
    """What may be remembered of conversations. Attributes are names, or patterns with *."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    name: Name = Field("custom", description="For people.")
    types: tuple[Name, ...] | None = Field(None, description="Memory types; null is all.")
    allow: tuple[Name, ...] | None = Field(None, description="Attributes; null is all.")
    deny: tuple[Name, ...] = Field((), description="Attributes that are not kept.")
    confirm: tuple[Name, ...] = Field((), description="Attributes that wait for a yes.")
    deny_sensitivity: tuple[Sensitivity, ...] = Field(
        (), description="What the registry calls so is not kept."
    )
    confirm_sensitivity: tuple[Sensitivity, ...] = Field(
        (), description="What the registry calls so waits for a yes."
    )
    floor: Share = Field(0.5, description="The confidence below which a fact waits.")
    trust: dict[Role, Share] = Field(
        default_factory=dict, description="What a confidence is multiplied by, by source."
    )
    values: dict[Kind, Literal["keep", "confirm", "deny"]] = Field(
        default_factory=dict,
        description="What becomes of values that are sensitive by their form; what is not named "
        "waits for a yes.",
    )
    retention: dict[Name, Name] = Field(
        default_factory=dict, description="The retention class of an attribute."
    )
    recurrence: dict[Name, Annotated[int, Field(ge=1, le=100)]] = Field(
        default_factory=dict, description="Of how many episodes an attribute needs to be heard."
    )
    immediate: bool = Field(False, description="Read every turn at once, not only commands.")


def policy_schema() -> dict[str, Any]:
    """The JSON Schema of a policy."""
    from text2mem.ir.export import DIALECT

    made = PolicyDocument.model_json_schema()
    return {"$schema": DIALECT, "$id": SCHEMA_ID, **made, "title": "Policy, version 1"}


def checked(document: Any, name: str) -> dict[str, Any]:
    """The fields of a policy. Raises ConfigurationError, which names every fault."""
    try:
        return dict(PolicyDocument.model_validate(document))
    except PydanticError as error:
        faults = "; ".join(
            f"/{'/'.join(map(str, fault['loc']))}: {_FAULTS.get(fault['type'], fault['msg'])}"
            for fault in error.errors()
        )
        raise ConfigurationError(
            f"{name} is no policy: {faults}",
            hint=f"its fields: {', '.join(PolicyDocument.model_fields)}",
        ) from error
