"""Where a mirrored store is: the framework's place, and the sidecar beside it.

``langgraph:PLACE?namespace=users/{tenant}&sidecar=SPEC&search=framework``, with any of the options.
A place on a server is a URL, which keeps the rest of its query.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import get_args

from text2mem.adapters.base import Adapter
from text2mem.adapters.mirrored.keeper import Keeper
from text2mem.adapters.mirrored.mirrored import Search
from text2mem.adapters.registry import IN_MEMORY, joined, open_adapter, pairs, shown
from text2mem.errors import ConfigurationError

BESIDE = ".text2mem.db"
"""What the file of the sidecar is called after the framework's own."""
OPTIONS = ("namespace", "sidecar", "search", "embedder")
_TENANT = "{tenant}"
_PLAIN = re.compile(r"[^A-Za-z0-9-]")


@dataclass(frozen=True, slots=True)
class Place:
    """A framework's file, folder or URL (``:memory:`` is in this process), and the options.

    ``sidecar`` is empty where a server holds the memories and no option says what stands beside it.
    """

    path: str
    namespace: tuple[str, ...]
    sidecar: str
    search: Search = "ours"
    embedder: str = ""

    @classmethod
    def read(cls, text: str, *, tenant: str, namespace: str) -> Place:
        """What follows the framework's name in a store's. Raises ConfigurationError."""
        path, _, query = text.partition("?")
        path = path or IN_MEMORY
        given = dict(pairs(query))
        unknown = sorted(set(given) - set(OPTIONS))
        if unknown and _is_url(path):
            path += "?" + joined((name, given[name]) for name in unknown)
        elif unknown:
            raise ConfigurationError(
                f"a framework's store has no option '{unknown[0]}'",
                hint=f"its options are: {', '.join(OPTIONS)}",
            )
        search = given.get("search", "ours")
        if search not in get_args(Search):
            raise ConfigurationError(
                f"there is no search '{search}'", hint=f"search is {' or '.join(get_args(Search))}"
            )
        kept = IN_MEMORY if path == IN_MEMORY else path.rstrip("/") + BESIDE
        beside = "" if _is_url(path) else kept
        wanted = given.get("namespace", namespace)
        if _TENANT not in wanted and tenant != "default":
            raise ConfigurationError(
                f"the namespace '{wanted}' would be the same one for every tenant",
                hint=f"write {_TENANT} where the tenant's name belongs",
            )
        labels = tuple(label.replace(_TENANT, plain(tenant)) for label in wanted.split("/"))
        return cls(path, labels, given.get("sidecar", beside), search,  # type: ignore[arg-type]
            given.get("embedder", ""))  # fmt: skip

    @property
    def is_remote(self) -> bool:
        """Whether a server holds the memories."""
        return _is_url(self.path)

    @property
    def shown(self) -> str:
        """The place without a password that is in it."""
        return shown(self.path)

    def one_name(self, framework: str, what: str) -> str:
        """The namespace, where it may be only one name. Raises ConfigurationError."""
        if len(self.namespace) > 1:
            raise ConfigurationError(
                f"'{'/'.join(self.namespace)}' is no name of a {what}",
                hint=f"the namespace of a {framework}: store is one name without '/'",
            )
        return self.namespace[0]

    def beside(self, keeper: Keeper, tenant: str) -> Adapter:
        """The sidecar of a keeper, which is closed where that does not open.

        Raises ConfigurationError and StoreError.
        """
        named = f"sqlite:{self.sidecar}" if self.sidecar == IN_MEMORY else self.sidecar
        try:
            if not named:
                raise ConfigurationError(
                    f"nothing says where the store beside {self.shown} is",
                    hint="add the option sidecar=FILE",
                )
            return open_adapter(named, tenant=tenant)
        except BaseException:
            keeper.close()
            raise


def _is_url(path: str) -> bool:
    return "://" in path


def plain(tenant: str) -> str:
    """A tenant's name in letters, digits and hyphens, "=" before the code of anything else.

    No two names become one, and none holds a wildcard or a separator of a framework.
    """
    return _PLAIN.sub(lambda found: f"={ord(found[0]):x}=", tenant)
