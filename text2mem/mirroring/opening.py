"""Frameworks that text2mem has never opened: read as they are."""

from __future__ import annotations

from pathlib import Path

from text2mem.adapters.mirrored.keeper import Keeper
from text2mem.adapters.mirrored.place import Place
from text2mem.adapters.mirrored.placed import PlacedAdapter
from text2mem.adapters.registry import GROUP
from text2mem.errors import ConfigurationError
from text2mem.plugins import registered


def foreign_keeper(store: str, tenant: str) -> Keeper | None:
    """The tenant's place in a framework without a sidecar; None for any other store.

    Raises ConfigurationError where there is no such file or folder.
    """
    name, _, rest = store.partition(":")
    entry = registered(GROUP).get(name)
    adapter = None if entry is None else entry.load()
    if not (isinstance(adapter, type) and issubclass(adapter, PlacedAdapter)):
        return None
    at = Place.read(rest, tenant=tenant, namespace=adapter.namespace)
    if "sidecar=" in rest or (not at.is_remote and Path(at.sidecar).exists()):
        return None
    if not at.is_remote and not Path(at.path).exists():
        raise ConfigurationError(f"there is no store {store}", hint="name its file or folder")
    return adapter.open_keeper(at)
