"""A smaller input with the same fault: what can be left out is left out, the rest made plain."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import Any

from text2mem_bench.fuzz.tree import Place, at, drop, places, put

_MANY = 5_000


def smallest(
    held: Any, fails: Callable[[Any], bool], *, tries: int = 600, seconds: float = 30.0
) -> Any:
    """The smallest value found that still fails, within so many tries and seconds."""
    begun = time.perf_counter()
    size = size_of(held)
    again = True
    while again:
        again = False
        for smaller in simpler(held):
            size_now = size_of(smaller)
            if size_now >= size:
                continue
            tries -= 1
            if tries < 0 or time.perf_counter() - begun > seconds:
                return held
            if fails(smaller):
                held, size, again = smaller, size_now, True
                break
    return held


def size_of(held: Any) -> int:
    """How much there is of a value; plain characters and numbers count less than odd ones."""
    size = 0
    for place in places(held, _MANY):
        value = at(held, place) if len(place) < _MANY else None
        if isinstance(value, dict):
            size += 2 + sum(_length(key) for key in value)
        elif isinstance(value, str | bytes):
            size += 1 + _length(value)
        elif isinstance(value, bool) or value is None:
            size += 1
        elif isinstance(value, int):
            size += 1 + value.bit_length() + (value < 0)
        else:
            size += 2 if isinstance(value, list) else 40
    return size


def _length(held: Any) -> int:
    """Two for every character but a plain ``a``, which counts as one."""
    text = held if isinstance(held, str) else held.decode("latin-1")
    return 2 * len(text) - text.count("a")


def simpler(held: Any) -> Iterator[Any]:
    """Values with a part of it left out or made plain, the greatest steps first."""
    found = places(held, _MANY)
    for place in found:
        value = at(held, place)
        if isinstance(value, list):
            yield from (put(held, place, rest) for rest in _shorter(value))
        elif isinstance(value, dict):
            yield from (drop(held, (*place, key)) for key in value)
    for place in found:
        for new in _plainer(at(held, place), place):
            yield put(held, place, new)


def _shorter(value: Any) -> Iterator[Any]:
    """A list, text or bytes without its halves, its quarters, down to single items."""
    part = (len(value) + 1) // 2
    while part:
        for begin in range(0, len(value), part):
            yield value[:begin] + value[begin + part :]
            if begin // part > 40:
                break
        part = part // 2 if part > 1 else 0


def _plainer(value: Any, place: Place) -> Iterator[Any]:
    if isinstance(value, dict | list):
        if place:
            yield None
            yield "a"
        yield from value.values() if isinstance(value, dict) else value
    elif isinstance(value, str | bytes):
        if value:
            plain: Any = "a" if isinstance(value, str) else b"a"
            yield from (value[:0], plain)
            yield from _shorter(value)
            yield plain * len(value)
            if len(value) < 200:
                yield from (value[:i] + plain + value[i + 1 :] for i in range(len(value)))
    elif isinstance(value, float):
        yield from (0, 1)
    elif isinstance(value, int) and not isinstance(value, bool):
        digits = int(value.bit_length() * math.log10(2))
        fewer = (digits // 2, digits * 9 // 10, digits * 99 // 100, digits - 1)
        yield from (0, 1, *(10**each for each in fewer if each > 1))
        if digits < 100:
            yield from (value // 2, -value)
