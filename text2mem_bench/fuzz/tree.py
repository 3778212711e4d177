"""JSON values by the places in them: found, replaced, dropped, mutated. Nothing here recurses."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from text2mem_bench.fuzz import values

Place = tuple[Any, ...]
_MOST = 2_000


def places(held: Any, most: int = _MOST) -> list[Place]:
    """The place of every value in a value, outer ones first, ``most`` of them."""
    found: list[tuple[Place, Any]] = [((), held)]
    for place, value in found:
        if len(found) >= most:
            break
        found += [((*place, key), item) for key, item in _items(value)]
    return [place for place, _ in found[:most]]


def _items(value: Any) -> list[tuple[Any, Any]]:
    if isinstance(value, dict):
        return list(value.items())
    return list(enumerate(value)) if isinstance(value, list) else []


def at(held: Any, place: Place) -> Any:
    """The value at a place."""
    for key in place:
        held = held[key]
    return held


def put(held: Any, place: Place, new: Any) -> Any:
    """The value with another one at a place; the given one stays as it is."""
    return _edited(held, place, lambda around, key: around.__setitem__(key, new), new)


def drop(held: Any, place: Place) -> Any:
    """The value without what is at a place, which is not the outermost one."""
    return _edited(held, place, lambda around, key: around.__delitem__(key), None)


def _edited(held: Any, place: Place, edit: Callable[[Any, Any], None], whole: Any) -> Any:
    if not place:
        return whole
    outermost = inner = held.copy()
    for key in place[:-1]:
        inner[key] = inner[key].copy()
        inner = inner[key]
    edit(inner, place[-1])
    return outermost


def mutated(random: Random, held: Any, times: int) -> Any:
    """The value with so many places made wrong: type, size, depth, key, or what stands there."""
    for _ in range(times):
        found = places(held)
        place = random.choice(found)
        held = _mutated(random, held, place, found)
    return held


def _mutated(random: Random, held: Any, place: Place, found: list[Place]) -> Any:
    value = at(held, place)
    kind = random.randrange(10)
    if kind == 0 and place:
        return drop(held, place)
    if kind == 1:
        return put(held, place, values.tree(random))
    if kind == 2:
        return put(held, place, [value])
    if kind == 3:
        return put(held, place, values.nested(random, value))
    if kind == 4:  # what stands elsewhere
        return put(held, place, at(held, random.choice(found)))
    if kind == 5:
        return put(held, place, values.number(random))
    if kind == 6:
        return put(held, place, values.text(random, strange=0.9))
    return put(held, place, _changed(random, value))


def _changed(random: Random, value: Any) -> Any:
    """A value of the same type that is something else."""
    if isinstance(value, dict):
        return {**value, values.key(random): values.tree(random)}
    if isinstance(value, list):
        plain = not any(isinstance(each, dict | list) for each in value)
        return value * random.choice((2, 3, 200 if plain else 4)) or [values.tree(random)]
    if isinstance(value, str):
        return values.spliced(random, value, random.choice(values.words()["pieces"]))
    if isinstance(value, bool) or value is None:
        return not value
    return random.choice((-value, value + 1, str(value)[:9] if abs(value) < 1e9 else 0))
