"""The rights of facts that are made from an episode: the same as the episode's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from text2mem.ir.record import Record

_LEVELS = ("read_perm_level", "write_perm_level")
_BLACK = ("read_blacklist", "write_blacklist")
_WHITE = ("read_whitelist", "write_whitelist")
RIGHTS = (*_LEVELS, *_BLACK, *_WHITE)
"""The arguments of an Encode that set who may read and write."""


def inherited(record: Record, actor: str | None = None) -> dict[str, Any]:
    """Arguments of an Encode by ``actor`` that give the new memory the rights of ``record``.

    If ``record`` has another owner than the actor, its owner is put on the white lists.
    """
    args: dict[str, Any] = {name: level for name in _LEVELS if (level := getattr(record, name))}
    args |= {name: list(actors) for name in _BLACK if (actors := getattr(record, name))}
    owner = [] if record.owner in (None, actor) else [record.owner]
    for name in _WHITE:
        if names := [*getattr(record, name), *owner]:
            args[name] = list(dict.fromkeys(names))
    return args


def with_rights(step: Mapping[str, Any], rights: Mapping[str, Any]) -> Mapping[str, Any]:
    """The step; with these rights if it is an Encode, but for one of a memory that has parents."""
    if step["op"] != "Encode" or "lineage_parents" in step["args"]:
        return step
    return {**step, "args": {**step["args"], **rights}}
