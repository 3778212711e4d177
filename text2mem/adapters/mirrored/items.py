"""A memory as an item of a framework, and what an item of a framework says of a memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from text2mem.adapters.mirrored.keeper import Item
from text2mem.ir.patch import BLANK, same
from text2mem.ir.record import Record, jsonable

OURS = "text2mem"
"""Where a framework holds our metadata, so that they never meet those of others."""
FIELDS = (
    "type", "tags", "facets", "time", "subject", "location", "topic", "source", "weight",
    "archived", "attribute", "value", "valid_from", "valid_to", "expire_at",
)  # fmt: skip
"""The fields of a memory that a framework is given."""
TAKEN_IN = ("type", "tags", "facets", "time", "subject", "location", "topic", "source", "weight")
"""Those of them that are taken in when somebody else has changed them there."""


def is_held(record: Record | None) -> bool:
    """Whether a framework holds a memory: one that is there, not deleted, and has a text.

    One with a NUL anywhere is held in no framework: those that stand on Postgres cannot.
    """
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
    """A memory under a key."""
    metadata = {"id": record.id, "version": record.version, **fields_of(record)}
    return Item(key=key, text=record.text, metadata=metadata)


def item_of(key: str, text: str, held: Mapping[str, Any], own: Collection[str] = ()) -> Item:
    """What a framework holds under a key: ours is under ``OURS``, and ``own`` names its own."""
    mark = held.get(OURS)
    return Item(
        key=key,
        text=text,
        metadata=mark if isinstance(mark, Mapping) else {},
        others={name: each for name, each in held.items() if name != OURS and name not in own},
    )


def tags_beside(item: Item, there: Item | None, tags: Sequence[str]) -> list[str]:
    """An item's tags, and those of the present ``tags`` that others have added ``there``."""
    before = () if there is None else there.metadata.get("tags") or ()
    own = item.metadata.get("tags") or ()
    return list(dict.fromkeys([*own, *(t for t in tags if t not in before)]))


def with_tags(item: Item, tags: Sequence[str]) -> Item:
    """An item of somebody else's, whose own tags are taken for a memory's."""
    if item.metadata or not tags:
        return item
    return replace(item, metadata={"tags": list(tags)})


def fields_of(record: Record) -> dict[str, Any]:
    """The fields that are not at their default, as JSON."""
    values = {name: jsonable(getattr(record, name)) for name in FIELDS}
    return {name: held for name, held in values.items() if not same(held, jsonable(BLANK[name]))}


def changed_there(record: Record, item: Item) -> dict[str, Any]:
    """What an item says otherwise than its memory, by field; None where it says nothing now."""
    ours, theirs = fields_of(record), item.metadata
    names = [name for name in TAKEN_IN if not same(ours.get(name), theirs.get(name))]
    differing = {name: theirs.get(name) for name in names}
    return differing | ({"text": item.text} if item.text != record.text else {})
