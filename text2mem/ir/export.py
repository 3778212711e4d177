"""Export the surface models as JSON Schema 2020-12, from which all other files are generated.

The schema is pydantic's own with two changes: an optional key may be absent but not null, and the
``Group`` rules become schema keywords. So it is as strict as the models and their groups together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations
from typing import Any

from pydantic.json_schema import models_json_schema

from text2mem.ir.surface import INSTANCES, Group, Surface

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def instance_schema(op: str) -> dict[str, Any]:
    """The schema of one op's instance, without the group rules."""
    return {"$schema": DIALECT, "$ref": f"#/$defs/{op}", "$defs": definitions(groups=False)}


@cache
def definitions(*, groups: bool) -> dict[str, Any]:
    """The schema of every surface model by its class name, for ``$defs``. ``groups`` adds the group
    rules. The result is cached: copy it before changing it."""
    _, top = models_json_schema(
        [(model, "validation") for model in INSTANCES.values()], ref_template="#/$defs/{model}"
    )
    models = {model.__name__: model for model in _all_models(INSTANCES.values())}
    out = {}
    for name, schema in top["$defs"].items():
        cleaned = _clean(schema)
        properties = cleaned["properties"]
        order = dict.fromkeys((*models[name].leading, *properties))
        cleaned["properties"] = {key: properties[key] for key in order}
        if groups:
            for rule in models[name].groups:
                _add_group(cleaned, rule)
            if name == "UpdateSet":
                cleaned["minProperties"] = 1
        out[name] = cleaned
    return out


def _all_models(models: Iterable[type[Surface]]) -> Iterator[type[Surface]]:
    """Yield models and, at any depth, those of their fields. One may come more than once."""
    for model in models:
        yield model
        yield from _all_models(submodels(model).values())


@cache
def submodels(model: type[Surface]) -> dict[str, type[Surface]]:
    """The surface models of a model's fields, by the field's name."""
    return {
        name: option
        for name, info in model.model_fields.items()
        for option in getattr(info.annotation, "__args__", (info.annotation,))
        if isinstance(option, type) and issubclass(option, Surface)
    }


def _clean(schema: Any) -> Any:
    """A schema without titles and defaults, and without null unless the field is ``nullable``.
    ``minProperties`` of an object with declared properties is removed."""
    if isinstance(schema, list):
        return [_clean(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    dropped = {"title", "default", "nullable"}
    if "properties" in schema or "$ref" in schema:
        dropped.add("minProperties")
    out = {key: _clean(value) for key, value in schema.items() if key not in dropped}
    if "properties" in schema:  # whose keys are names of fields, such as "title"
        out["properties"] = {name: _clean(sub) for name, sub in schema["properties"].items()}
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
        "needs": {"dependentRequired": {rule.keys[0]: [*rule.keys[1:]]}},
    }  # fmt: skip
    schema.setdefault("allOf", []).append(clauses[rule.kind])
