"""Constraint: a decoder's schema in which selectors can name only what the store holds.

What is being created stays free. Beside what there is stands ``NONE``, for a model to say that the
request means none of it; a draft that says so is no program.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from text2mem.planner.grounding import Picture
from text2mem.planner.lowering import Lowered

NONE = "none_of_these"
MOST = 64
"""How many names of one kind a schema offers at most."""
_REFERENCES = tuple(f"${number}" for number in range(1, 7))
_NAMED = ("type", "subject", "location", "topic", "attribute")


def constrained(lowered: Lowered, picture: Picture, ids: Sequence[str]) -> Lowered:
    """A lowered program or instance whose selectors name what the picture shows.

    ``ids`` are those of candidates and those that the request names itself.
    """
    schema = copy.deepcopy(dict(lowered.schema))
    defs = schema["$defs"]
    vocabulary = picture.vocabulary
    offered = {
        "type": vocabulary.types, "subject": vocabulary.subjects, "location": vocabulary.locations,
        "topic": vocabulary.topics, "attribute": vocabulary.attributes,
    }  # fmt: skip
    conditions = defs["Filter"]["properties"]
    for key in ("has_tags", "not_tags"):
        conditions[key] = _instead(conditions[key], _list(picture.tags))
    for key in _NAMED:
        conditions[key] = _instead(conditions[key], _one(offered[key]))
    for shape in defs["Target"]["anyOf"]:
        if "ids" in shape["properties"]:
            place = shape["properties"]["ids"]
            shape["properties"]["ids"] = _instead(place, _list((*ids, *_REFERENCES)))
    return Lowered(schema, lowered.restore, lowered.moved)


def _one(names: Sequence[str]) -> dict[str, Any]:
    return {"type": "string", "enum": [*dict.fromkeys(names[:MOST]), NONE]}


def _list(names: Sequence[str]) -> dict[str, Any]:
    return {"type": "array", "items": _one(names), "minItems": 1}


def _instead(place: Mapping[str, Any], narrowed: Mapping[str, Any]) -> dict[str, Any]:
    """``narrowed`` in place of another schema: null where that may be, bounded where that is.

    OpenAI's strict subset requires every key, null stands for absent, and it knows no bounds.
    """
    new = {key: value for key, value in narrowed.items() if key != "minItems" or key in place}
    nullable = {"type": "null"} in place.get("anyOf", ())
    return {"anyOf": [new, {"type": "null"}]} if nullable else new


def names_none(instance: Any) -> bool:
    """Whether the target of a draft's instance says that the store holds nothing of it."""
    target = instance.get("target") if isinstance(instance, Mapping) else None
    if not isinstance(target, Mapping):
        return False
    conditions = target.get("filter")
    values: list[Any] = list(target.get("ids") or ())
    if isinstance(conditions, Mapping):
        values += [conditions.get(key) for key in _NAMED]
        values += [*(conditions.get("has_tags") or ())]
    return NONE in values


def without_none(instance: Mapping[str, Any]) -> dict[str, Any]:
    """The instance without conditions that exclude nothing (``not_tags`` of nothing)."""
    target = instance.get("target")
    conditions = target.get("filter") if isinstance(target, Mapping) else None
    if not isinstance(conditions, Mapping) or NONE not in (conditions.get("not_tags") or ()):
        return dict(instance)
    kept = [tag for tag in conditions["not_tags"] if tag != NONE]
    rest = {key: value for key, value in conditions.items() if key != "not_tags"}
    narrowed = {**rest, "not_tags": kept} if kept else rest
    return {**instance, "target": {**(target or {}), "filter": narrowed}}
