"""Items under a namespace and a key, stored as memories. No framework is imported here.

An item is a memory of the type ``item``. Its value is the structured payload. Its namespace is the
subject, with periods between the labels. For look-ups by index, it has a tag for its namespace and
for each that contains it, and one tag for namespace and key. Its facets hold the key and the time
to live in minutes.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from text2mem.errors import ConfigurationError
from text2mem.ir.arguments import as_kind
from text2mem.ir.ops import ByFilter
from text2mem.ir.record import Record, as_tags

TYPE = "item"
MOST = 100_000
"""The most items that a search or a list reads."""
_KEY, _TTL = "key", "ttl"
_WRAPPED = "item"
"""The key that wraps a value that would be empty, be taken for a fact, or look wrapped."""
_FACT = frozenset({"subject", "attribute", "value"})
_OPERATORS: Mapping[str, Callable[[Any, Any], object]] = {
    "$eq": operator.eq, "$ne": operator.ne,
    "$gt": operator.gt, "$gte": operator.ge, "$lt": operator.lt, "$lte": operator.le,
}  # fmt: skip

Namespace = tuple[str, ...]
Instance = dict[str, Any]


# --- looking items up ----------------------------------------------------------------------


def within(prefix: Sequence[str], *, limit: int = MOST) -> ByFilter:
    """The filter for the items of a namespace and of those below it, oldest first.

    It may find items of other namespaces as well, since labels and keys may contain slashes, and a
    tag loses the blanks around it and is composed. The caller compares the namespaces.
    """
    tags = as_tags([_tag(prefix)] if prefix else ())
    return ByFilter(type=TYPE, has_tags=tags, order="oldest", limit=limit)


def at(namespace: Namespace, key: str) -> ByFilter:
    """The filter for the item of a namespace and key. It may find others, as ``within`` does."""
    return ByFilter(type=TYPE, has_tags=as_tags([_tag(namespace, key)]), order="oldest", limit=MOST)


def namespace_of(record: Record) -> Namespace:
    """Return the labels of an item's namespace."""
    return tuple((record.subject or "").split("."))


def key_of(record: Record) -> str:
    """Return the key of an item."""
    return str(record.facets.get(_KEY, ""))


def _tag(labels: Sequence[str], key: str = "") -> str:
    """The tag ``label.label/key``. The tag of a namespace ends with the slash."""
    return f"{'.'.join(labels)}/{key}"


# --- values --------------------------------------------------------------------------------


def value_of(record: Record) -> dict[str, Any]:
    """Return the value of an item; ``{"text": …}`` if its payload has become a text."""
    payload = record.payload.get("structured")
    if not isinstance(payload, Mapping):  # another door has replaced it with a text
        return {"text": record.text}
    inner = payload.get(_WRAPPED)
    return dict(inner if payload.keys() == {_WRAPPED} and isinstance(inner, Mapping) else payload)


def _structured(value: Mapping[str, Any]) -> dict[str, Any]:
    """The structured payload for a value. Raises ConfigurationError for what is no mapping."""
    as_kind(value, Mapping, "value of an item", "give a dict")
    ambiguous = not value or value.keys() == {_WRAPPED} or value.keys() >= _FACT
    return {_WRAPPED: dict(value)} if ambiguous else dict(value)


# --- conditions of searches and lists ------------------------------------------------------


def meets(value: Mapping[str, Any], conditions: Mapping[str, Any] | None) -> bool:
    """Whether a value meets all conditions, by key. Raises ConfigurationError for a wrong one."""
    return all(_meets(value.get(key), wanted) for key, wanted in (conditions or {}).items())


def _meets(held: Any, wanted: Any) -> bool:
    if isinstance(wanted, list | tuple):  # a condition for each element
        alike = isinstance(held, list) and len(held) == len(wanted)
        return alike and all(map(_meets, held, wanted))
    if not isinstance(wanted, Mapping):
        return bool(held == wanted)
    if any(str(name).startswith("$") for name in wanted):
        return all(_compared(held, str(name), other) for name, other in wanted.items())
    return isinstance(held, Mapping) and meets(held, wanted)


def _compared(held: Any, name: str, other: Any) -> bool:
    """Whether a value meets the condition of one operator, such as ``$gt``."""
    if name not in _OPERATORS:
        raise ConfigurationError(
            f"a filter has no operator {name:.40}", hint=f"write one of {', '.join(_OPERATORS)}"
        )
    if name not in ("$eq", "$ne"):  # only two numbers or two texts have an order
        kinds = (str,) if isinstance(held, str) else (int, float)
        if not all(isinstance(v, kinds) and not isinstance(v, bool) for v in (held, other)):
            return False
    return bool(_OPERATORS[name](held, other))


def fits(labels: Sequence[str], kind: Literal["prefix", "suffix"], pattern: Sequence[str]) -> bool:
    """Whether a namespace begins or ends with a pattern's labels; ``*`` stands for any label."""
    if len(labels) < len(pattern):
        return False
    part = labels[: len(pattern)] if kind == "prefix" else labels[len(labels) - len(pattern) :]
    return all(want in ("*", label) for label, want in zip(part, pattern, strict=True))


# --- programs ------------------------------------------------------------------------------


def putting(
    namespace: Namespace, key: str, value: Mapping[str, Any], held: Record | None,
    *, ttl: float | None, vector: bool, first: int,
) -> list[Instance]:  # fmt: skip
    """The steps that store an item, or change the item ``held`` that has its key already.

    ``ttl`` is the time to live in minutes. ``first`` is the number of the first of these steps in
    their program, from 1. Raises ConfigurationError for a ``ttl`` that is no positive number.
    """
    facets = {_KEY: key} | ({} if ttl is None else {_TTL: _minutes(ttl)})
    fields = {"facets": facets, "skip_embedding": not vector}
    if held is not None:
        changed = {"structured": _structured(value), **fields}
        if ttl is None and held.expire_at is not None:
            changed["expire_at"] = None
        target: dict[str, Any] = {"ids": [held.id]}
        step = {"stage": "STO", "op": "Update", "target": target, "args": {"set": changed}}
    else:
        below = [_tag(namespace[:depth]) for depth in range(1, len(namespace) + 1)]
        args = {
            "payload": {"structured": _structured(value)}, "type": TYPE,
            "subject": ".".join(namespace), "tags": [*below, _tag(namespace, key)], **fields,
        }  # fmt: skip
        target = {"ids": [f"${first}"]}
        step = {"stage": "ENC", "op": "Encode", "args": args}
    return [step] if ttl is None else [step, _expiring(target, ttl)]


def deleting(held: Record) -> Instance:
    """The step that deletes an item."""
    return {"stage": "STO", "op": "Delete", "target": {"ids": [held.id]}}


def prolonging(held: Record) -> Instance | None:
    """Return the step that restarts an item's time to live; None if it has none."""
    ttl = held.facets.get(_TTL)
    if not isinstance(ttl, int | float) or held.expire_at is None:
        return None
    return _expiring({"ids": [held.id]}, ttl)


def _expiring(target: dict[str, Any], ttl: float) -> Instance:
    seconds = max(1, math.ceil(ttl * 60))
    return {"stage": "STO", "op": "Expire", "target": target, "args": {"ttl": f"PT{seconds}S"}}


def _minutes(ttl: Any) -> float:
    if not (isinstance(ttl, int | float) and math.isfinite(ttl) and ttl > 0):
        raise ConfigurationError(
            f"an item lives for a number of minutes above 0, not {ttl!r:.40}",
            hint="leave ttl out, or None, for one that stays",
        )
    return ttl
