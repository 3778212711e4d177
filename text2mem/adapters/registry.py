"""Opening a store by its name: a path is a SQLite file, ``memory:`` is SQLite in this process, and
other names are entry points."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlencode

from text2mem.adapters.base import Adapter
from text2mem.errors import ConfigurationError
from text2mem.plugins import entry

GROUP = "text2mem.adapters"
IN_MEMORY = ":memory:"
"""The path of a store in this process, which no other connection can open."""
_PASSWORD = re.compile(
    r"(?<=://)([^/@\s]*?):[^/\s]*@"
    r"|(password\s*=\s*)(?:'(?:\\.|[^'\\])*'|(?:\\.|[^\s&]|&(?!\w+=))+)"
)


def shown(spec: str | Path) -> str:
    """The name of a store with any password removed, for messages."""
    return _PASSWORD.sub(
        lambda found: f"{found[1]}@" if found[1] is not None else f"{found[2]}…", str(spec)
    )


def pairs(query: str) -> list[tuple[str, str]]:
    """The options after the ``?`` of a store's name, in order. A plus sign stands for itself, not
    for a blank as in a web form."""
    return parse_qsl(query.replace("+", "%2B"), keep_blank_values=True)


def joined(options: Iterable[tuple[str, str]]) -> str:
    """Options as a query string that libpq reads."""
    return urlencode(list(options), quote_via=quote)


def split_name(spec: str | Path) -> tuple[str, str]:
    """The adapter that the name of a store begins with, and what that adapter is given."""
    name, colon, rest = str(spec).partition(":")
    if not (colon and name) or isinstance(spec, Path) or (len(name) == 1 and name.isalpha()):
        return "sqlite", str(spec)  # a bare path, one with a drive letter, or :memory:
    return name, rest


def open_adapter(spec: str | Path, *, tenant: str = "default") -> Adapter:
    """Open the store that ``spec`` names, bound to one tenant.

    ``notes.db`` and ``sqlite:notes.db`` are a SQLite file, ``memory:`` and ``:memory:`` SQLite in
    this process, ``postgres:postgresql://…`` is a server (docs/postgres.md). ``NAME:REST`` is any
    registered adapter, which is given REST. Raises ConfigurationError for a name of no store.
    """
    if not spec or not isinstance(spec, str | Path):
        raise ConfigurationError(
            f"{spec!r} is no store", hint='name a file, "memory:", or give an open adapter'
        )
    name, rest = split_name(spec)
    if name == "memory" and rest:
        hint = f"memory: alone is one in this process, sqlite:{rest} one in a file"
        raise ConfigurationError(f"{spec} is no name of a store", hint=hint)
    if name == "sqlite" and not rest:
        raise ConfigurationError(
            f"{spec} names no file", hint="write sqlite:notes.db; memory: is one in this process"
        )
    if name == "sqlite" and rest.startswith("///"):
        raise ConfigurationError(
            f"{spec} is no name of a store", hint=f"write sqlite:{rest[3:]}, or the path alone"
        )
    factory = entry(GROUP, "adapter", name, mark=":", more="; a path means SQLite").load()
    adapter: Adapter = factory(rest, tenant=tenant) if rest else factory(tenant=tenant)
    return adapter
