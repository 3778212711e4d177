"""Whether a framework holds what the store beside it says, and what is taken away from it again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from text2mem.adapters.base import Adapter
from text2mem.adapters.mirrored.items import as_item, is_mirrored
from text2mem.adapters.mirrored.mirrored import Mirrored
from text2mem.ir.record import Record


def missed(adapter: Adapter, records: Sequence[Record]) -> str:
    """What a framework holds otherwise than the store beside it, of all that this one has had.

    ``records`` are those that there are. Empty where both agree, or there is no framework.
    """
    if not isinstance(adapter, Mirrored):
        return ""
    if (told := adapter.undelivered()) is not None:
        return told
    keys = _keys(adapter)
    there = {item.key: replace(item, others={}) for item in adapter.keeper.scan()}
    wanted = {keys[r.id]: as_item(r, keys[r.id]) for r in records if is_mirrored(r)}
    differing = [id_ for id_, key in keys.items() if there.get(key) != wanted.get(key)]
    if not differing:
        return ""
    return f"{adapter.keeper.name} holds otherwise: {', '.join(differing)}"


def taken_away(adapter: Adapter) -> None:
    """Remove from a framework what it was given."""
    if isinstance(adapter, Mirrored) and (keys := list(_keys(adapter).values())):
        adapter.keeper.remove(keys)


def _keys(adapter: Mirrored) -> dict[str, str]:
    """Of every memory that there has been, by id."""
    ids = sorted({entry.id for entry in adapter.entries(adapter.context)}, key=int)
    held, origin = adapter.outbox.keys(ids), adapter.outbox.origin
    return {id_: held.get(id_) or adapter.keeper.key(origin, id_) for id_ in ids}
