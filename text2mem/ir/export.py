"""The surface models as JSON Schema 2020-12: the source of everything that is generated.

pydantic's own export is close; what differs is that absent is not null here, and that the
``Group`` rules become schema keywords, so that the exported schema is as strict as the models
together with their groups.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import Any

from pydantic.json_schema import models_json_schema

from text2mem.ir.surface import INSTANCES, Group, Surface

DIALECT = "https://json-schema.org/draft/2020-12/schema"
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


def instance_schema(op: str) -> dict[str, Any]:
    """The schema of one op's instance, without the group rules."""
    return {"$schema": DIALECT, "$ref": f"#/$defs/{op}", "$defs": definitions(groups=False)}


@cache
def definitions(*, groups: bool) -> dict[str, Any]:
    """Every surface model as a ``$defs`` entry by its class name. The result is shared: copy it."""
    _, top = models_json_schema(
        [(model, "validation") for model in INSTANCES.values()], ref_template="#/$defs/{model}"
    )
    models = {model.__name__: model for model in _all_models()}
    out = {}
    for name, schema in top["$defs"].items():
        cleaned = _clean(schema)
        properties = cleaned["properties"]
        first = [key for key in models[name].leading if key in properties]
        cleaned["properties"] = {
            key: properties[key] for key in dict.fromkeys([*first, *properties])
        }
        if groups:
            for rule in models[name].groups:
                _add_group(cleaned, rule)
            if name == "UpdateSet":
                cleaned["minProperties"] = 1
        out[name] = cleaned
    return out


def _all_models() -> Iterator[type[Surface]]:
    """Every surface model that an instance is made of."""
    waiting = list(INSTANCES.values())
    while waiting:
        model = waiting.pop()
        yield model
        waiting += submodels(model).values()


@cache
def submodels(model: type[Surface]) -> dict[str, type[Surface]]:
    """The fields of a model that hold another surface model."""
    return {
        name: option
        for name, info in model.model_fields.items()
        for option in getattr(info.annotation, "__args__", (info.annotation,))
        if isinstance(option, type) and issubclass(option, Surface)
    }


def _clean(schema: Any) -> Any:
    """Without titles and defaults; null removed unless the field declares ``nullable``."""
    if isinstance(schema, list):
        return [_clean(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    out = {
        key: (
            {name: _clean(sub) for name, sub in value.items()}
            if key == "properties"
            else _clean(value)
        )
        for key, value in schema.items()
        if key not in ("title", "default", "nullable", "minProperties")
        or (key == "minProperties" and "properties" not in schema and "$ref" not in schema)
    }
    if "anyOf" in out and not schema.get("nullable"):
        options = [option for option in out["anyOf"] if option != {"type": "null"}]
        if len(options) == 1:
            del out["anyOf"]
            out = {**options[0], **out}
    return out


def _add_group(schema: dict[str, Any], rule: Group) -> None:
    required = [{"required": [key]} for key in rule.keys]
    pairs = [{"required": [*pair]} for pair in combinations(rule.keys, 2)]
    clauses = {
        "exactly_one": {"oneOf": required}, "at_least_one": {"anyOf": required},
        "at_most_one": {"not": {"anyOf": pairs}},
    }  # fmt: skip
    schema.setdefault("allOf", []).append(clauses[rule.kind])
