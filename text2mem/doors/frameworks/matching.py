"""What a search's filter and a list's conditions ask of an item. They know no framework."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from text2mem.errors import ConfigurationError

_EQUAL: Mapping[str, bool] = {"$eq": True, "$ne": False}
_ORDERED: Mapping[str, Callable[[Any, Any], bool]] = {
    "$gt": operator.gt, "$gte": operator.ge, "$lt": operator.lt, "$lte": operator.le,
}  # fmt: skip


def meets(value: Mapping[str, Any], conditions: Mapping[str, Any] | None) -> bool:
    """Whether a value meets every condition. Raises ConfigurationError for an unknown operator."""
    return all(_meets(value.get(key), wanted) for key, wanted in (conditions or {}).items())


def _meets(held: Any, wanted: Any) -> bool:
    if not isinstance(wanted, Mapping):
        return bool(held == wanted)
    if any(str(name).startswith("$") for name in wanted):
        return all(_compared(held, str(name), other) for name, other in wanted.items())
    return isinstance(held, Mapping) and meets(held, wanted)


def _compared(held: Any, name: str, other: Any) -> bool:
    if name in _EQUAL:
        return bool(held == other) is _EQUAL[name]
    if name not in _ORDERED:
        raise ConfigurationError(
            f"a filter has no operator {name:.40}",
            hint=f"write one of {', '.join((*_EQUAL, *_ORDERED))}",
        )
    # Numbers go with numbers and texts with texts; nothing else has an order.
    alike = all(_is_number(each) for each in (held, other)) or all(
        isinstance(each, str) for each in (held, other)
    )
    return alike and _ORDERED[name](held, other)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def fits(labels: Sequence[str], kind: Literal["prefix", "suffix"], pattern: Sequence[str]) -> bool:
    """Whether a namespace begins or ends as a pattern does; ``*`` is any one label."""
    if len(labels) < len(pattern):
        return False
    part = labels[: len(pattern)] if kind == "prefix" else labels[len(labels) - len(pattern) :]
    return all(want in ("*", label) for label, want in zip(part, pattern, strict=True))
