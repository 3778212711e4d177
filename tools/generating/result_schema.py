"""The JSON Schema of what running a program returns, made from the dataclasses of ``ir.result``."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from text2mem.ir.export import DIALECT
from text2mem.ir.result import ProgramResult
from text2mem.ir.surface import INSTANCES

SCHEMA_ID = "urn:text2mem:result:v1"
_ID = {"type": "string", "pattern": "^(0|[1-9][0-9]*)$"}


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
        "$schema": DIALECT,
        "$id": SCHEMA_ID,
        "title": "Result of a Text2Mem program, version 1",
        **_closed(made),
        "$defs": closed,
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
