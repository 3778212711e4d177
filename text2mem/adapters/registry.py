"""Stores by name: a path is SQLite, ``memory:`` the plain model, others by entry point."""

from __future__ import annotations

import difflib
import re
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from text2mem.adapters.base import Adapter
from text2mem.errors import ConfigurationError

GROUP = "text2mem.adapters"
IN_MEMORY = ":memory:"
"""A place that is in this process, and one connection's."""


@cache
def available() -> dict[str, EntryPoint]:
    """The registered adapters by name."""
    return {entry.name: entry for entry in entry_points(group=GROUP)}


_PASSWORD = re.compile(r"(?<=://)([^/@\s]*?):[^/@\s]*@|(?<=password=)[^\s&]+")


def shown(spec: str | Path) -> str:
    """The name of a store without a password that is in it."""
    return _PASSWORD.sub(lambda found: f"{found[1]}@" if found[1] is not None else "…", str(spec))


def open_adapter(spec: str | Path, *, tenant: str = "default") -> Adapter:
    """The store that ``spec`` names, bound to one tenant.

    ``notes.db``, ``sqlite:notes.db`` and ``:memory:`` are SQLite; ``memory:`` lives in this
    process; ``postgres:postgresql://…`` is a server (docs/postgres.md); ``NAME:REST`` is any
    registered adapter, which gets REST.
    """
    name, colon, rest = str(spec).partition(":")
    if not (colon and name) or isinstance(spec, Path) or (len(name) == 1 and name.isalpha()):
        name, rest = "sqlite", str(spec)  # a bare path, one with a drive letter, or :memory:
    if name not in available():
        close = difflib.get_close_matches(name, list(available()), n=1)
        raise ConfigurationError(
            f"there is no adapter '{name}'",
            hint=f"did you mean '{close[0]}:'?"
            if close
            else f"known adapters: {', '.join(sorted(available()))}; a path means SQLite",
        )
    factory = available()[name].load()
    adapter: Adapter = factory(rest, tenant=tenant) if rest else factory(tenant=tenant)
    return adapter
