"""Stores, models and embedders that are registered under a name, as entry points."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from text2mem.errors import ConfigurationError


@cache
def registered(group: str) -> Mapping[str, EntryPoint]:
    """The entry points of a group, by name."""
    return {entry.name: entry for entry in entry_points(group=group)}


def entry(
    group: str, kind: str, name: str, *, mark: str = "", also: Sequence[str] = (), more: str = ""
) -> EntryPoint:
    """The entry point of a name, which the caller loads. Raises ConfigurationError.

    For its message: ``kind`` is what is looked for, ``mark`` follows a suggested name, ``also`` are
    further names to suggest, ``more`` is added to the list of known ones.
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
