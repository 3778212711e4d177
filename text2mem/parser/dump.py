"""Print a typed op in the canonical surface form: the inverse of the parser."""

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
"""The params of all strategies of a Split."""


def dump(op: typed.Op) -> dict[str, Any]:
    """Return an op in the canonical surface form. Arguments with their default are left out."""
    out: dict[str, Any] = {"stage": op.stage, "op": op.name}
    if isinstance(op, typed.TargetedOp):
        out["target"] = _target(op.target)
    args = _args(op)
    return {**out, "args": args} if args else out


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
        # Parameters of the other strategies have no effect and are left out.
        params = {key: args[key] for key in typed.SPLIT_PARAMS[op.strategy] if key in args}
        args = {key: value for key, value in args.items() if key not in _OF_SPLIT}
        if params:
            args["params"] = params
    return args


def _target(target: typed.Target) -> dict[str, Any]:
    given = _changed(target)
    if isinstance(target, typed.ByIds):
        return given
    if isinstance(target, typed.ByFilter):
        return {"filter": given}
    if isinstance(target, typed.AllMemories):
        return {"all": True}
    search = {"intent": {k: given.pop(k) for k in ("query", "vector", "context") if k in given}}
    limit = {"limit": given.pop("limit")} if "limit" in given else {}
    overrides = {"overrides": given} if given else {}
    return {"search": {**search, **overrides, **limit}}


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
    """The value of a field of an op in the surface form."""
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
