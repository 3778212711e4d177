"""Mirrored stores by name: the framework's place, and the options.

Such as ``langgraph:PLACE?namespace=users/{tenant}&sidecar=SPEC&search=framework``. If the place is
a URL of a server, other options stay part of the URL.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, get_args

from text2mem.adapters.base import Adapter, Support
from text2mem.adapters.mirrored.keeper import Keeper, supporting
from text2mem.adapters.mirrored.mirrored import Mirrored, Search
from text2mem.adapters.registry import GROUP, IN_MEMORY, joined, open_adapter, pairs, shown
from text2mem.errors import ConfigurationError
from text2mem.plugins import registered

if TYPE_CHECKING:
    from text2mem.adapters.mirrored.vectors import Vectors

BESIDE = ".text2mem.db"
"""The suffix of the sidecar's file after the framework's path."""
OPTIONS = ("namespace", "sidecar", "search", "embedder")
_TENANT = "{tenant}"
_PLAIN = re.compile(r"[^A-Za-z0-9-]")


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a framework's memories, and the options of the store."""

    path: str
    """A file, a folder or a URL; ``:memory:`` is in this process."""
    namespace: tuple[str, ...]
    """The tenant's namespace, as labels."""
    sidecar: str
    """The name of the sidecar's store; empty if no option names it beside a server."""
    search: Search
    embedder: str
    """The embedder of the framework's index; empty for vectors of terms."""

    @classmethod
    def read(cls, text: str, *, tenant: str, namespace: str) -> Place:
        """Parse a store's name after ``FRAMEWORK:``, with the default of the option ``namespace``.
        Raises ConfigurationError."""
        path, _, query = text.partition("?")
        path = path or IN_MEMORY
        given = dict(pairs(query))
        unknown = sorted(given.keys() - set(OPTIONS))
        if unknown and _is_url(path):
            path += "?" + joined((name, given[name]) for name in unknown)
        elif unknown:
            hint = f"its options are: {', '.join(OPTIONS)}"
            raise ConfigurationError(f"a framework's store has no option '{unknown[0]}'", hint=hint)
        search = given.get("search", "ours")
        if search not in get_args(Search):
            raise ConfigurationError(
                f"there is no search '{search}'", hint=f"search is {' or '.join(get_args(Search))}"
            )
        local = IN_MEMORY if path == IN_MEMORY else path.rstrip("/") + BESIDE
        sidecar = given.get("sidecar", "" if _is_url(path) else local)
        pattern = given.get("namespace", namespace)
        if _TENANT not in pattern and tenant != "default":
            why = f"the namespace '{pattern}' would be the same one for every tenant"
            raise ConfigurationError(why, hint=f"write {_TENANT} where the tenant's name belongs")
        labels = tuple(label.replace(_TENANT, plain(tenant)) for label in pattern.split("/"))
        embedder = given.get("embedder", "")
        return cls(path, labels, sidecar, search, embedder)  # type: ignore[arg-type]

    @property
    def is_remote(self) -> bool:
        """Whether a server has the memories."""
        return _is_url(self.path)

    @property
    def shown(self) -> str:
        """The place with any password removed, for messages."""
        return shown(self.path)

    def one_name(self, framework: str, what: str) -> str:
        """The namespace as one name. Raises ConfigurationError if it has several labels."""
        if len(self.namespace) > 1:
            why = f"'{'/'.join(self.namespace)}' is no name of a {what}"
            hint = f"the namespace of a {framework}: store is one name without '/'"
            raise ConfigurationError(why, hint=hint)
        return self.namespace[0]

    def beside(self, keeper: Keeper, tenant: str) -> Adapter:
        """Open the sidecar; close the keeper if that raises ConfigurationError or StoreError."""
        spec = f"sqlite:{self.sidecar}" if self.sidecar == IN_MEMORY else self.sidecar
        try:
            if not spec:
                why = f"nothing says where the store beside {self.shown} is"
                raise ConfigurationError(why, hint="add the option sidecar=FILE")
            return open_adapter(spec, tenant=tenant)
        except BaseException:
            keeper.close()
            raise


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
        """Open the keeper of a place, with its own vectors unless others are given. Raises
        ConfigurationError, MissingExtra and StoreError."""


def foreign_keeper(store: str, tenant: str) -> Keeper | None:
    """The keeper of a store whose framework text2mem has never opened; None for any other store.
    text2mem has opened it if its name has a sidecar, or the sidecar's file exists. Raises
    ConfigurationError if the framework's file or folder is missing."""
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


def _is_url(path: str) -> bool:
    return "://" in path


def plain(tenant: str) -> str:
    """A tenant's name with every character that is no letter, digit or hyphen as ``=CODE=``.
    Different names stay different, and none contains a wildcard or separator of a framework."""
    return _PLAIN.sub(lambda character: f"={ord(character[0]):x}=", tenant)
