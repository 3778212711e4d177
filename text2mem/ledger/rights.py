"""The rights of what is made from a memory: those of the memory, for its owner as well."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from text2mem.ir.record import Record

_LEVELS = ("read_perm_level", "write_perm_level")
_BLACK = ("read_blacklist", "write_blacklist")
_WHITE = ("read_whitelist", "write_whitelist")
RIGHTS = (*_LEVELS, *_BLACK, *_WHITE)
"""The arguments of an Encode that say who may read and write."""


def inherited(record: Record, actor: str | None = None) -> dict[str, Any]:
    """Arguments of an Encode by ``actor``: who may read and write a memory may the new one.

    The memory's owner, where that is another one, is on the white lists.
    """
    args: dict[str, Any] = {name: held for name in _LEVELS if (held := getattr(record, name))}
    args |= {name: list(held) for name in _BLACK if (held := getattr(record, name))}
    owner = [] if record.owner in (None, actor) else [record.owner]
    for name in _WHITE:
        if names := [*getattr(record, name), *owner]:
            args[name] = list(dict.fromkeys(names))
    return args


def with_rights(step: Mapping[str, Any], rights: Mapping[str, Any]) -> Mapping[str, Any]:
    """An Encode with the rights of its episode; any other step as it is."""
    return {**step, "args": {**step["args"], **rights}} if step["op"] == "Encode" else step
