"""Frameworks that text2mem has never opened: read as they are."""

from __future__ import annotations

from pathlib import Path

from text2mem.adapters.mirrored import langgraph_, mem0_
from text2mem.adapters.mirrored.keeper import Keeper
from text2mem.adapters.mirrored.place import Place
from text2mem.errors import ConfigurationError

_OPENING = {
    "langgraph": (langgraph_.NAMESPACE, langgraph_.open_keeper),
    "mem0": (mem0_.NAMESPACE, mem0_.open_keeper),
}


def foreign_keeper(store: str, tenant: str) -> Keeper | None:
    """The tenant's place in a framework without a sidecar; None for any other store.

    Raises ConfigurationError where there is no such file or folder.
    """
    name, _, rest = store.partition(":")
    if name not in _OPENING:
        return None
    namespace, opened = _OPENING[name]
    at = Place.read(rest, tenant=tenant, namespace=namespace)
    if Path(at.sidecar).exists() or "sidecar=" in rest:
        return None
    if not Path(at.path).exists():
        raise ConfigurationError(f"there is no store {store}", hint="name its file or folder")
    return opened(at)
