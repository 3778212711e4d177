"""Lowering: the surface schema as what a decoder can enforce, and the way back.

No decoder takes the schema as it is (``if``, ``not``, ``oneOf`` are ignored or refused), so each
capability gets its own: a twelve-way ``anyOf`` of closed objects, OpenAI's strict subset, or the
few slots of one op. What a lowering leaves out is reported, and is the validator's to catch.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from text2mem.ir.export import all_models, definitions
from text2mem.ir.surface import INSTANCES, STAGES, Target
from text2mem.planner.slots import Form, Slot

_STAGES = {name.lower(): stage for name, stage in STAGES.items()}
_PAIRED = ("facets", "structured")
"""Open objects: the strict form asks for them as lists of pairs."""

_STRICT_DROPS = (
    "minLength", "maxLength", "pattern", "minimum", "maximum", "minItems", "maxItems",
    "minProperties", "description",
)  # fmt: skip
_PAIRS = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "key": {"type": "string"},
            "value": {"type": ["string", "number", "boolean"]},
        },
        "required": ["key", "value"],
        "additionalProperties": False,
    },
}
_ANY = {"type": ["string", "number", "boolean"]}


@dataclass(frozen=True, slots=True)
class Lowered:
    """A schema for a decoder. ``restore`` makes instances (of ``lower_verbs``: op names) of an
    answer and raises ValueError and the like where it has another shape; ``moved`` says which rules
    the decoder does not enforce, so that the validator has to."""

    schema: Mapping[str, Any]
    restore: Callable[[Any], list[Any]]
    moved: tuple[str, ...]


@cache
def lower_program(*, strict: bool = False) -> Lowered:
    """``{"ops": [...]}`` for a model that writes the whole program."""
    defs, moved = _planned(strict=strict)
    ops: dict[str, Any] = {
        "type": "array",
        "items": {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in INSTANCES]},
    }
    if not strict:
        ops["minItems"] = 1
    schema = {
        "type": "object",
        "properties": {"ops": ops},
        "required": ["ops"],
        "additionalProperties": False,
        "$defs": defs,
    }
    return Lowered(schema, _restore_strict if strict else _restore, moved)


@cache
def lower_instance(op: str, *, strict: bool = False) -> Lowered:
    """One instance of ``op``, for a redraft."""
    defs, moved = _planned(strict=strict)
    restore = _restore_strict if strict else _restore

    def alone(answer: Any) -> list[Any]:
        instances = restore(answer)  # a model without a decoder's bounds may wrap it as before
        if len(instances) != 1:
            raise ValueError(f"{len(instances)} instances instead of one")
        return instances

    return Lowered({**defs[op], "$defs": defs}, alone, moved)


@cache
def _planned(*, strict: bool) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What a model writes: no stage, no meta, one selector a target; and the rules left out."""
    defs = copy.deepcopy(definitions(groups=False))
    for name in INSTANCES:
        for key in ("stage", "meta"):
            defs[name]["properties"].pop(key, None)
        defs[name]["required"] = [k for k in defs[name]["required"] if k != "stage"]
    for schema in defs.values():
        schema.pop("description", None)
    del defs["Meta"]
    defs["Target"] = _one_selector(defs["Target"])
    loose = [
        f"{at}: pattern {dropped}" for at in defs for dropped in _drop_loose_patterns(defs[at])
    ]
    moved = list(dict.fromkeys(loose))
    moved += [
        f"{model.__name__}: {rule.kind.replace('_', ' ')} of {', '.join(rule.keys)}"
        for model in all_models()
        for rule in model.groups
        if model is not Target
    ]
    moved.append("UpdateSet: at least one key")
    if strict:
        defs = {name: _strict(schema, name, moved) for name, schema in defs.items()}
    return defs, tuple(moved)


def lower_verbs(ops: Sequence[str] | None = None, most: int = 6) -> Lowered:
    """``{"verbs": [...]}``: the sequence of ops of a request, of ``ops`` where they are given."""
    schema = {
        "type": "object",
        "properties": {
            "verbs": {
                "type": "array", "minItems": 1, "maxItems": most,
                "items": {"enum": list(ops or INSTANCES)},
            }
        },
        "required": ["verbs"],
        "additionalProperties": False,
    }  # fmt: skip
    return Lowered(schema, _verbs, ())


def lower_form(form: Form, keep: Mapping[str, Any] | None = None) -> Lowered:
    """The slots of one op; every slot of an alternative is required.

    ``keep`` holds slots that a redraft may not change: the schema allows their value alone.
    """
    shapes = [_closed(slots) for slots in form.alternatives]
    for shape in shapes:
        for key, value in (keep or {}).items():
            if key in shape["properties"]:
                shape["properties"][key] = {"const": value}
    schema = shapes[0] if len(shapes) == 1 else {"anyOf": shapes}
    moved = [
        f"{slot.key}: pattern {dropped}"
        for slots in form.alternatives
        for slot in slots
        if not {"enum", "pattern"} & {*slot.schema, *slot.schema.get("items", ())}  # stricter
        for dropped in _drop_loose_patterns(_lent(slot))
    ]
    return Lowered(
        schema, lambda answer: [_staged(item) for item in form.build(answer)], tuple(moved)
    )


def slot_schema(slot: Slot) -> dict[str, Any]:
    """The schema of the place that a slot fills, narrowed by the slot."""
    return _narrow(_lent(slot), slot.schema)


def _lent(slot: Slot) -> dict[str, Any]:
    """A copy of the schema of the place that a slot fills."""
    defs = definitions(groups=False)
    path = slot.path.split("/")
    node: dict[str, Any] = defs["Target" if path[0] == "target" else _owner(path)]
    for part in path[1:]:
        node = node["properties"][part]
        while "$ref" in node:
            node = defs[node["$ref"].rpartition("/")[2]]
    return copy.deepcopy(node)


def _owner(path: list[str]) -> str:
    """The args model that has the first key of an ``args/...`` path."""
    defs = definitions(groups=False)
    for name in INSTANCES:
        args = f"{name}Args"
        if path[1] in defs[args]["properties"]:
            return args
    raise KeyError(f"no op has the argument '{path[1]}'")


def _narrow(schema: dict[str, Any], by: Mapping[str, Any]) -> dict[str, Any]:
    if "enum" in by:
        return {"type": "string", "enum": list(by["enum"])}
    out = {key: value for key, value in schema.items() if key != "description"}
    _drop_loose_patterns(out)
    for key, value in by.items():
        out[key] = _narrow(out.get("items", {}), value) if key == "items" else value
    return out


def _drop_loose_patterns(schema: Any) -> list[str]:
    """Takes out patterns that do not span the whole string: decoders accept none or any string."""
    dropped = []
    if isinstance(schema, dict):
        pattern = schema.get("pattern")
        if isinstance(pattern, str) and not (pattern.startswith("^") and pattern.endswith("$")):
            dropped.append(schema.pop("pattern"))
    for value in schema.values() if isinstance(schema, dict) else schema:
        if isinstance(value, dict | list):
            dropped += _drop_loose_patterns(value)
    return dropped


def _closed(slots: tuple[Slot, ...]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {slot.key: slot_schema(slot) for slot in slots},
        "required": [slot.key for slot in slots],
        "additionalProperties": False,
    }


def _one_selector(target: Mapping[str, Any]) -> dict[str, Any]:
    """Exactly one selector, as alternatives of one key each: what a decoder can enforce."""
    return {
        "anyOf": [
            {
                "type": "object",
                "properties": {key: schema},
                "required": [key],
                "additionalProperties": False,
            }
            for key, schema in target["properties"].items()
        ]
    }


# --- OpenAI's strict subset ----------------------------------------------------------------


def _strict(schema: Any, at: str, moved: list[str]) -> Any:
    """Every key required and nullable, no bounds, open objects as lists of pairs."""
    if isinstance(schema, list):
        return [_strict(item, at, moved) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if not schema:
        moved.append(f"{at}: any value is narrowed to text, number, true or false")
        return dict(_ANY)
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        if "properties" not in schema:
            moved.append(f"{at}: values are narrowed to text, number, true or false")
            moved.extend(f"{at}: {key} {schema[key]}" for key in _STRICT_DROPS if key in schema)
            return copy.deepcopy(_PAIRS)
        moved.append(f"{at}: keys beyond the known ones are not offered")
        schema = {**schema, "additionalProperties": False}
    if {"type": "null"} in schema.get("anyOf", ()):
        moved.append(f"{at}: null stands for absent, so nothing can be cancelled")
    out: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _STRICT_DROPS:
            if key != "description":
                moved.append(f"{at}: {key} {value}")
        elif key == "properties":
            out[key] = {k: _strict(v, f"{at}/{k}", moved) for k, v in value.items()}
        elif key == "const":
            out["enum"] = [value]
        else:
            out[key] = _strict(value, at, moved)
    if "properties" in out:
        required = set(schema.get("required", ()))
        out["properties"] = {
            k: v if k in required else {"anyOf": [v, {"type": "null"}]}
            for k, v in out["properties"].items()
        }
        out["required"] = list(out["properties"])
    return out


def _restore(answer: Any) -> list[Any]:
    """Instances with the stage that their op belongs to."""
    ops = answer.get("ops", answer) if isinstance(answer, dict) else answer
    return [_staged(item) for item in ops] if isinstance(ops, list) else [_staged(answer)]


def _staged(instance: Any) -> Any:
    """The instance with the stage of its op; what is no instance stays for the validator to see."""
    op = instance.get("op") if isinstance(instance, dict) else None
    stage = _STAGES.get(op.strip().lower()) if isinstance(op, str) else None
    return instance if stage is None else {"stage": stage, **instance}


def _restore_strict(answer: Any) -> list[Any]:
    return [_unpaired(item) for item in _restore(answer)]


def _unpaired(value: Any) -> Any:
    """Without the nulls that stand for "absent", and open objects as objects again."""
    if isinstance(value, list):
        return [_unpaired(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: {pair["key"]: pair["value"] for pair in item}
        if key in _PAIRED and isinstance(item, list)
        else _unpaired(item)
        for key, item in value.items()
        if item is not None
    }


def _verbs(answer: Any) -> list[Any]:
    verbs = answer["verbs"]
    if not isinstance(verbs, list) or not all(verb in list(INSTANCES) for verb in verbs):
        raise ValueError(f"{verbs!r} is not a list of ops")
    return verbs
