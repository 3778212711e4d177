"""Lowering: rewrite the draft's schema for a provider that accepts less than JSON Schema."""

from __future__ import annotations

from typing import Any

_DROPPED = ("maxItems", "minItems", "minLength", "maxLength", "pattern", "minimum", "maximum")


def strict(schema: Any) -> Any:
    """The schema in OpenAI's strict subset: every key is required, null stands for an absent value,
    and there are no bounds.

    Source: OpenAI's guide to structured outputs, "Supported schemas".
    """
    if isinstance(schema, list):
        return [strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    out: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _DROPPED:
            continue
        if key == "const":
            out["enum"] = [value]
        elif key == "properties":
            required = set(schema.get("required", ()))
            out[key] = {
                name: strict(each)
                if name in required
                else {"anyOf": [strict(each), {"type": "null"}]}
                for name, each in value.items()
            }
        else:
            out[key] = strict(value)
    if "properties" in out:
        out["required"] = list(out["properties"])
        out["additionalProperties"] = False
    return out
