"""The JSON Schema of programs, made from the surface models."""

from __future__ import annotations

from typing import Any

from text2mem.ir.export import DIALECT, definitions
from text2mem.ir.surface import INSTANCES

SCHEMA_ID = "urn:text2mem:ir:v1"


def program_schema() -> dict[str, Any]:
    """The normative schema of a program: one instance, or a non-empty list of them."""
    return {
        "$schema": DIALECT,
        "$id": SCHEMA_ID,
        "title": "Text2Mem program, version 1",
        "oneOf": [
            {"$ref": "#/$defs/Instance"},
            {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/Instance"}},
        ],
        "$defs": {
            "Instance": {"oneOf": [{"$ref": f"#/$defs/{name}"} for name in INSTANCES]},
            **definitions(groups=True),
        },
    }
