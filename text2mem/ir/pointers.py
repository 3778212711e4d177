"""JSON Pointers (RFC 6901) into documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any


def escape(key: str) -> str:
    """A key as a token of a pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def pointer_to(keys: Iterable[Any]) -> str:
    """The pointer of a path of keys; "" for the document itself."""
    return "".join(f"/{escape(str(key))}" for key in keys)


def path_of(fault: Mapping[str, Any], document: Any) -> tuple[Any, ...]:
    """The path into a document of a fault that pydantic found in it, without pydantic's own marks:
    which member of a union was tried, or that a key itself is at fault."""
    return tuple(_path_of(fault["loc"], document, missing=fault["type"] == "missing"))


def _path_of(marked: Sequence[Any], value: Any, *, missing: bool) -> Iterator[Any]:
    for place, key in enumerate(marked, 1):
        there = value if isinstance(value, Mapping) else {}
        if isinstance(value, list | tuple):
            there = dict(enumerate(value))
        if key in there or (missing and place == len(marked)):
            yield key
        value = there.get(key, value)
