"""JSON Schemas: of programs, of what running one returns, and of documents that people write."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, TypeAdapter

from text2mem.ir.export import DIALECT, definitions
from text2mem.ir.result import ProgramResult
from text2mem.ir.surface import INSTANCES
from text2mem.ledger.policy import Policy

_ID = {"type": "string", "pattern": "^(0|[1-9][0-9]*)$"}


def program_schema() -> dict[str, Any]:
    """The normative schema of a program: one instance, or a non-empty list of them."""
    instance = {"$ref": "#/$defs/Instance"}
    return {
        **_head("ir", "Text2Mem program"),
        "oneOf": [instance, {"type": "array", "minItems": 1, "items": instance}],
        "$defs": {
            "Instance": {"oneOf": [{"$ref": f"#/$defs/{name}"} for name in INSTANCES]},
            **definitions(groups=True),
        },
    }


def document_schema(model: type[BaseModel], name: str, title: str) -> dict[str, Any]:
    """The schema of a model, version 1. References between entries it cannot check."""
    return {**_head(name, title), **_untitled(model.model_json_schema())}


def policy_schema() -> dict[str, Any]:
    """The schema of a policy, version 1, with the titles of its fields."""
    made = Policy.model_json_schema()
    identity = {"$schema": DIALECT, "$id": "urn:text2mem:policy:v1"}
    return {**identity, **made, "title": "Policy, version 1"}


def result_schema() -> dict[str, Any]:
    """The schema of ``ProgramResult.as_dict()``; one step's result is its ``ExecutionResult``.

    Every field is present and no other is, except in a row, whose fields the caller asked for.
    """
    made = TypeAdapter(ProgramResult).json_schema(mode="serialization")
    defs = made.pop("$defs")
    closed = {name: _closed(defs[name]) for name in ("ExecutionResult", "Change", "Failure")}
    step = closed["ExecutionResult"]["properties"]
    step["op"] = {"enum": [*INSTANCES, "Undo"]}
    step["matched"]["minimum"] = step["duration_ms"]["minimum"] = 0
    step["affected"]["items"] = step["created"]["items"] = _ID
    closed["Change"]["properties"]["id"] = _ID
    return {
        **_head("result", "Result of a Text2Mem program"), **_closed(made), "$defs": closed,
    }  # fmt: skip


def _head(name: str, title: str) -> dict[str, Any]:
    return {
        "$schema": DIALECT, "$id": f"urn:text2mem:{name}:v1", "title": f"{title}, version 1",
    }  # fmt: skip


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


def _closed(schema: dict[str, Any]) -> dict[str, Any]:
    """A dataclass's schema as ``as_dict`` writes it: all fields, no defaults, nothing else."""
    properties = {
        name: {key: value for key, value in sub.items() if key not in ("title", "default")}
        for name, sub in schema["properties"].items()
    }
    out: dict[str, Any] = {"type": "object"}
    if "description" in schema:
        out["description"] = schema["description"]
    return out | {
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
