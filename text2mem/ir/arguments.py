"""Checks of what a caller gives: each returns it, or raises ConfigurationError."""

from __future__ import annotations

from collections.abc import Iterable
from types import UnionType
from typing import Any, TypeVar

from text2mem.errors import ConfigurationError
from text2mem.ir.record import MOST_ROWS

T = TypeVar("T")


def as_id(given: object) -> str:
    """Return an id that a caller gives, also as an int."""
    if isinstance(given, bool) or not isinstance(given, str | int):
        hint = 'an id is a text of digits, such as "12"'
        raise ConfigurationError(f"{given!r} is no id of a memory", hint=hint)
    return str(given)


def as_words(what: str, given: object) -> str:
    """Return a text that a caller gives, ``what`` being its name."""
    if not isinstance(given, str):
        raise ConfigurationError(f"{what} is {given!r:.40}, and no text")
    return given


def as_limit(name: str, given: object) -> int:
    """Return a limit that a caller gives, from 1 to ``MOST_ROWS``."""
    if not isinstance(given, int) or not 1 <= given <= MOST_ROWS:
        raise ConfigurationError(f"{name} is {given!r}", hint=f"ask for 1 to {MOST_ROWS}")
    return given


def as_count(name: str, given: object) -> int:
    """Return a count that a caller gives, 0 or more."""
    if not isinstance(given, int) or isinstance(given, bool) or given < 0:
        raise ConfigurationError(f"{name} is {given!r:.40}", hint="give a number, 0 or more")
    return given


def as_kind(given: T, kind: type | UnionType, what: str, hint: str) -> T:
    """Return what a caller gives, a ``kind`` (in words: ``what``)."""
    if not isinstance(given, kind):
        raise ConfigurationError(f"{given!r:.200} is no {what}", hint=hint)
    return given


def as_several(name: str, given: Any, kind: type | UnionType, what: str) -> tuple[Any, ...]:
    """Return several of a ``kind`` (in words: ``what``) as a tuple."""
    several = tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else None
    if several is None or not all(isinstance(item, kind) for item in several):
        raise ConfigurationError(f"{name} is {given!r:.200}", hint=f"give a list of {what}")
    return several
