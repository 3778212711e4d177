"""The JSON Schema of a document that people write: a registry, an evolution, or a policy."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from text2mem.ir.export import DIALECT
from text2mem.ledger.policy import Policy


def document_schema(model: type[BaseModel], name: str, title: str) -> dict[str, Any]:
    """The schema of a model, version 1. References between entries it cannot check."""
    made: dict[str, Any] = _untitled(model.model_json_schema())
    return {
        "$schema": DIALECT,
        "$id": f"urn:text2mem:{name}:v1",
        "title": f"{title}, version 1",
        **made,
    }


def policy_schema() -> dict[str, Any]:
    """The schema of a policy, version 1, with the titles of its fields."""
    made = Policy.model_json_schema()
    identity = {"$schema": DIALECT, "$id": "urn:text2mem:policy:v1"}
    return {**identity, **made, "title": "Policy, version 1"}


def _untitled(schema: Any) -> Any:
    """Without pydantic's titles; a property may be called "title", too."""
    if isinstance(schema, list):
        return [_untitled(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: _untitled(sub) for name, sub in value.items()}
        if key in ("properties", "$defs")
        else _untitled(value)
        for key, value in schema.items()
        if key != "title"
    }
