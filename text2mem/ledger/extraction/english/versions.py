"""Versions of languages and runtimes that a project runs on or needs."""

from __future__ import annotations

import re

_I = re.IGNORECASE
VERSION = re.compile(
    r"(?P<tool>python|node(?:\.?js)?|java|ruby|go|rust|php)\s+(?P<v>v?\d+(?:\.\d+){0,2})(?![\w.])",
    _I,
)
_NEEDS = re.compile(
    r"(?:needs?|requires?|supports?|is on|are on|'re on|pinned to|targets?|assumes?|expects?|"
    r"minimum is)"
    rf"\s+(?:at least |only )?{VERSION.pattern}", _I,
)  # fmt: skip


def named(found: re.Match[str]) -> tuple[str, str]:
    """The attribute that a version is of, and the version."""
    tool = found["tool"].lower().replace(".js", "").replace("js", "")
    return f"{tool}_version", found["v"]


def needed(text: str) -> tuple[str, str] | None:
    """What is needed in which version, "needs Node 22"."""
    found = _NEEDS.search(text)
    return named(found) if found else None
