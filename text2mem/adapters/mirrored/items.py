"""Conversion between memories and the items of a framework."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from text2mem.adapters.mirrored.keeper import Item
from text2mem.ir.patch import BLANK, same
from text2mem.ir.record import Record, jsonable

OURS = "text2mem"
"""The name under which an item holds our metadata, apart from those of others."""
TAKEN_IN = ("type", "tags", "facets", "time", "subject", "location", "topic", "source", "weight")
"""The fields of a memory that a sync takes in when others have changed them in a framework."""
FIELDS = (*TAKEN_IN, "archived", "attribute", "value", "valid_from", "valid_to", "expire_at")
"""The fields of a memory that are put into a framework."""


def is_mirrored(record: Record | None) -> bool:
    """Whether a framework holds a memory: it exists, is not deleted, and has a text. A memory with
    a NUL is held by none, because frameworks on Postgres cannot store one."""
    if record is None or record.deleted or not record.text:
        return False
    return not _has_nul([record.text, fields_of(record)])


def _has_nul(value: Any) -> bool:
    if isinstance(value, str):
        return "\0" in value
    if isinstance(value, Mapping):
        return any(_has_nul(name) or _has_nul(each) for name, each in value.items())
    return isinstance(value, list) and any(map(_has_nul, value))


def as_item(record: Record, key: str) -> Item:
    """A memory as an item with this key."""
    metadata = {"id": record.id, "version": record.version, **fields_of(record)}
    return Item(key=key, text=record.text, metadata=metadata)


def item_of(
    key: str, text: str, held: Mapping[str, Any],
    own: Collection[str] = (), tags: Sequence[str] = (),
) -> Item:  # fmt: skip
    """An item from the values that a framework ``held`` beside the text. Our metadata are under
    ``OURS``; the framework's ``own`` values are left out; all others are somebody else's. The
    ``tags`` of somebody else's item become those of a memory."""
    mark = held.get(OURS)
    metadata = mark if isinstance(mark, Mapping) else {}
    if tags and not metadata:
        metadata = {"tags": list(tags)}
    others = {name: each for name, each in held.items() if name != OURS and name not in own}
    return Item(key=key, text=text, metadata=metadata, others=others)


def tags_beside(item: Item, there: Item | None, tags: Sequence[str]) -> list[str]:
    """The item's tags, and those of the framework's ``tags`` that others have added to the present
    item ``there``."""
    ours = () if there is None else there.metadata.get("tags") or ()
    new = item.metadata.get("tags") or ()
    return list(dict.fromkeys([*new, *(t for t in tags if t not in ours)]))


def fields_of(record: Record) -> dict[str, Any]:
    """Those of ``FIELDS`` that are not at their default, as JSON."""
    values = {name: jsonable(getattr(record, name)) for name in FIELDS}
    return {name: value for name, value in values.items() if not same(value, jsonable(BLANK[name]))}


def changed_there(record: Record, item: Item) -> dict[str, Any]:
    """The item's values that differ from the memory's, by field; None if the item has none."""
    ours, theirs = fields_of(record), item.metadata
    names = [name for name in TAKEN_IN if not same(ours.get(name), theirs.get(name))]
    differing = {name: theirs.get(name) for name in names}
    return differing | ({"text": item.text} if item.text != record.text else {})
