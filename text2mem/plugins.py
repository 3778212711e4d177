"""What is registered under a name: stores, models and embedders, found by entry point."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from text2mem.errors import ConfigurationError


@cache
def registered(group: str) -> Mapping[str, EntryPoint]:
    """The entries of a group, by name."""
    return {entry.name: entry for entry in entry_points(group=group)}


def entry(
    group: str, kind: str, name: str, *, mark: str = "", also: Sequence[str] = (), more: str = ""
) -> EntryPoint:
    """The entry of a name; it is loaded by whoever asked.

    ``kind`` is what messages call it, ``mark`` what stands behind a name there, ``also`` what else
    may have been meant, ``more`` what they say besides. Raises ConfigurationError.
    """
    known = registered(group)
    if name in known:
        return known[name]
    close = difflib.get_close_matches(name, [*known, *also], n=1)
    raise ConfigurationError(
        f"there is no {kind} '{name}'",
        hint=f"did you mean '{close[0]}{mark}'?"
        if close
        else f"known {kind}s: {', '.join(sorted(known))}{more}",
    )
