"""Parts of values: one value within another, a part that is exchanged, an item of a list."""

from __future__ import annotations

import re
from typing import Any

from text2mem.ir.words.joining import items
from text2mem.ir.words.naming import name_key
from text2mem.planner.messages import listed

_EDGE = 3
"""The least number of characters at the edge of a value that identify it."""
_FIGURES = re.compile(r"\d+(?:[.,]\d+)*")


def stands_within(part: str, whole: str) -> bool:
    """Whether ``part`` consists of whole words or numbers of ``whole``, or one of them begins or
    ends with the other, such as "RabbitMQ" with "Rabbit", or a number with "156"."""
    part_key, whole_key = name_key(part), name_key(whole)
    short, long = sorted((part_key, whole_key), key=len)
    edge = len(short) >= _EDGE and (long.startswith(short) or long.endswith(short))
    words = rf"(?<![^\W_]){re.escape(part_key)}(?![^\W_])"
    return edge or re.search(words, whole_key) is not None or len(_numbers(part, whole)) == 1


def put_in(value: str, old: str, held: Any) -> str:
    """The held value with ``value`` in place of ``old``: of a list the item ("Friday" for "Monday"
    in "Monday and Tuesday"), of numbers the digits ("68" for "86" in "third floor, C 86", "45,000"
    for "40,000" in "40,000 euros"). If ``old`` is not exactly one such part, ``value``."""
    if not isinstance(held, str) or held == old:
        return value
    places = [_item(held, old)] if _FIGURES.fullmatch(value) is None else _numbers(old, held)
    if len(places) != 1 or places[0] is None:
        return value
    start, end = places[0]
    return held[:start] + value + held[end:]


def without(held: Any, words: str) -> str | None:
    """The held list without the item that words name; None if they name no single item."""
    gone = _item(held, words) if isinstance(held, str) else None
    if gone is None:
        return None
    return listed([held[slice(*each)] for each in items(held) if each != gone], held)


def _item(text: str, words: str) -> tuple[int, int] | None:
    """The only item of a list that words name."""
    found = [each for each in items(text) if stands_within(words, text[slice(*each)])]
    return found[0] if len(found) == 1 and name_key(words) != name_key(text) else None


def _numbers(number: str, text: str) -> list[tuple[int, int]]:
    """The places at which a number stands in a text, or ends it."""
    if _FIGURES.fullmatch(number) is None:
        return []
    sought = re.escape(number)
    whole = rf"(?<!\d)(?<!\d[.,]){sought}(?![.,]?\d)|{sought}$"
    return [each.span() for each in re.finditer(whole, text)]
