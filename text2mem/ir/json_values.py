"""Check what can be stored as JSON: finite numbers, valid Unicode, at most ``LEVELS`` levels."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from text2mem.errors import ConfigurationError
from text2mem.ir.diagnostic import Diagnostic
from text2mem.ir.pointers import escape

LEVELS = 64
"""How deep lists and objects may be nested. SQLite, pydantic and Python fail at about 1,000."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_GREATEST = 10**308
"""Whole numbers from this one on are refused: as floats, other readers could not take them."""


def read_json(text: str) -> Any:
    """Return the value of a JSON text that a person has written. Raises ValueError, also if it is
    nested too deeply, or if an object has a key twice, of which Python would drop the first."""
    try:
        return json.loads(text, object_pairs_hook=_once)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made:
            raise ValueError(f"the key {key!r} stands twice in one object")
        made[key] = value
    return made


def flaws(value: Any) -> Iterator[Diagnostic]:
    """Yield a diagnostic for every part of a document that could not be stored and read again. The
    walk is not recursive, so that deep nesting does not exhaust the stack."""
    waiting: list[tuple[Any, str, int]] = [(value, "", 1)]
    while waiting:
        held, pointer, level = waiting.pop()
        if isinstance(held, str):
            if not is_unicode(held):
                yield _half(pointer)
        elif isinstance(held, bool | None):
            continue
        elif isinstance(held, int):
            if abs(held) >= _GREATEST:
                what = "a number of more than 308 digits"
                yield Diagnostic("out-of-range", pointer, what, "write it as a text")
        elif isinstance(held, float):
            if not math.isfinite(held):
                hint = "leave NaN and infinity out"
                yield Diagnostic("not-finite", pointer, "not a finite number", hint)
        elif not isinstance(held, Mapping | list | tuple):
            yield Diagnostic("wrong-type", pointer, f"{type(held).__name__} is no JSON")
        elif level > LEVELS:
            what = f"nested deeper than {LEVELS} levels"
            yield Diagnostic("too-deep", pointer, what, "flatten it")
        elif isinstance(held, Mapping):
            for key, item in held.items():
                below = pointer
                if not isinstance(key, str):
                    yield Diagnostic("wrong-type", pointer, f"{type(key).__name__} is no key")
                elif not is_unicode(key):
                    yield _half(pointer)
                else:
                    below = f"{pointer}/{escape(key)}"
                waiting.append((item, below, level + 1))
        else:
            waiting += ((item, f"{pointer}/{i}", level + 1) for i, item in enumerate(held))


def half_a_character() -> ConfigurationError:
    """The error for a text with a lone surrogate."""
    return ConfigurationError("a text holds half of a character", hint="leave lone surrogates out")


def _half(pointer: str) -> Diagnostic:
    hint = "escape characters beyond U+FFFF as both of their halves, or not at all"
    return Diagnostic("not-unicode", pointer, "a text holds half of a character", hint)


def is_unicode(text: str) -> bool:
    """Whether a text can be written as UTF-8: escapes of JSON can make lone surrogates."""
    return text.isascii() or _SURROGATE.search(text) is None
