"""Adapters that are named by a framework's place, as in ``langgraph:agent.db?search=framework``."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from text2mem.adapters.base import Support
from text2mem.adapters.mirrored.keeper import Keeper, supporting
from text2mem.adapters.mirrored.mirrored import Mirrored
from text2mem.adapters.mirrored.place import Place
from text2mem.adapters.mirrored.vectors import Vectors
from text2mem.adapters.registry import GROUP, IN_MEMORY
from text2mem.errors import ConfigurationError
from text2mem.plugins import registered


class PlacedAdapter(Mirrored):
    """A mirrored adapter that opens its keeper and its sidecar by a place."""

    name: ClassVar[str] = "placed"
    namespace: ClassVar[str]
    """The default of the option ``namespace``."""
    support: ClassVar[Mapping[str, Support]] = supporting(
        native=("Encode", "Update", "Label", "Delete")
    )

    def __init__(self, place: str = IN_MEMORY, *, tenant: str = "default") -> None:
        """Open keeper and sidecar. Raises ConfigurationError, MissingExtra and StoreError."""
        at = Place.read(place, tenant=tenant, namespace=self.namespace)
        keeper = self.open_keeper(at)
        super().__init__(at.beside(keeper, tenant), keeper, tenant=tenant, search=at.search)

    @staticmethod
    @abstractmethod
    def open_keeper(at: Place, vectors: Vectors | None = None) -> Keeper:
        """Open the keeper of a place, with its own vectors unless others are given.

        Raises ConfigurationError, MissingExtra and StoreError.
        """


def foreign_keeper(store: str, tenant: str) -> Keeper | None:
    """The keeper of a store whose framework text2mem has never opened; None for any other store.

    text2mem has opened it if its name has a sidecar, or the sidecar's file exists. Raises
    ConfigurationError if the framework's file or folder is missing.
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
