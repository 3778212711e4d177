"""The way back: a typed op as the canonical surface form, defaults left out.

``parse(dump(op)) == op`` holds for every op; it is checked by a property test.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from itertools import chain
from typing import Any

from text2mem.ir import ops as typed
from text2mem.ir.times.duration import Duration
from text2mem.ir.times.temporal import format_instant

_OF_SPLIT = frozenset(chain.from_iterable(typed.SPLIT_PARAMS.values()))


def dump(op: typed.Op) -> dict[str, Any]:
    """One op as an instance of the canonical surface form."""
    out: dict[str, Any] = {"stage": op.stage, "op": op.name}
    if isinstance(op, typed.TargetedOp):
        out["target"] = _target(op.target)
    args = _args(op)
    if args:
        out["args"] = args
    return out


def _args(op: typed.Op) -> dict[str, Any]:
    if isinstance(op, typed.Encode):
        content = op.content
        return {
            "payload": {content.kind: _json(content.value), **_json(content.extra)},
            **_json(op.attributes),
            **{k: v for k, v in _changed(op).items() if k not in ("content", "attributes")},
        }
    if isinstance(op, typed.Update):
        if op.replace is not None:
            return {"replace": {"old": op.replace.old, "new": op.replace.new}}
        return {"set": _json(op.edits)}
    args = {key: value for key, value in _changed(op).items() if key != "target"}
    if isinstance(op, typed.Split):
        # A parameter of another strategy than the op's has no effect, and is left out.
        params = {key: args[key] for key in typed.SPLIT_PARAMS[op.strategy] if key in args}
        args = {key: value for key, value in args.items() if key not in _OF_SPLIT}
        if params:
            args["params"] = params
    return args


def _target(target: typed.Target) -> dict[str, Any]:
    if isinstance(target, typed.ByIds):
        return _changed(target)
    if isinstance(target, typed.ByFilter):
        return {"filter": _changed(target)}
    if isinstance(target, typed.AllMemories):
        return {"all": True}
    return {"search": _search(target)}


def _search(target: typed.BySearch) -> dict[str, Any]:
    given = _changed(target)
    parts = {
        "intent": {k: given[k] for k in ("query", "vector", "context") if k in given},
        "overrides": {k: given[k] for k in ("k", "alpha", "order_by") if k in given},
        "limit": target.limit,
    }
    return {name: part for name, part in parts.items() if part or name == "intent"}


def _changed(value: Any) -> dict[str, Any]:
    """The fields of a dataclass that differ from their defaults, as JSON."""
    out = {}
    for item in fields(value):
        current = getattr(value, item.name)
        default = item.default_factory() if callable(item.default_factory) else item.default
        if current != default:
            out[item.name] = _json(current)
    return out


def _json(value: Any) -> Any:
    if isinstance(value, datetime):
        return format_instant(value)
    if isinstance(value, Duration):
        return value.isoformat()
    if isinstance(value, typed.StepRef):
        return str(value)
    if isinstance(value, typed.RelativeRange):
        return {"relative": value.direction, "amount": value.amount, "unit": value.unit}
    if is_dataclass(value):
        return _changed(value)
    if isinstance(value, tuple | list):
        return [_json(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _json(item) for key, item in value.items()}
    return value
