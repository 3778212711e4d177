"""The lineage of a memory: what it was made from, and what was made from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from text2mem.adapters.base import Adapter
from text2mem.executor.frame import settled
from text2mem.ir.context import ExecutionContext
from text2mem.ir.record import Record, is_id

_GENERATIONS = 100
"""The most generations of a lineage, up and down."""


@dataclass(frozen=True, slots=True)
class Lineage:
    """The lineage of a memory, as far as the actor may read it."""

    record: Record
    parents: tuple[Lineage, ...] = ()
    """What it was made from."""
    children: tuple[Lineage, ...] = ()
    """What was made from it."""
    more: bool = False
    """Whether the lineage goes on beyond ``_GENERATIONS`` generations."""

    def as_dict(self) -> dict[str, Any]:
        """The tree as JSON: id, text, deleted, and the branches."""
        image = self.record.as_dict()
        tree: dict[str, Any] = {name: image[name] for name in ("id", "text", "deleted")}
        for name, branches in (("parents", self.parents), ("children", self.children)):
            if branches:
                tree[name] = [branch.as_dict() for branch in branches]
        return {**tree, "more": True} if self.more else tree


def lineage(adapter: Adapter, context: ExecutionContext, id_: str) -> Lineage | None:
    """The lineage of a memory, up and down; None if the actor can read no such memory."""
    if not is_id(id_):
        return None

    def look() -> Lineage | None:
        row = adapter.find([id_], context).get(id_)
        if row is None:
            return None
        up = _branches(adapter, context, row, "parents", {id_}, _GENERATIONS)
        down = _branches(adapter, context, row, "children", {id_}, _GENERATIONS)
        return Lineage(row, up, down)

    return settled(adapter, context, look)


def _branches(
    adapter: Adapter, context: ExecutionContext, row: Record, side: str, seen: set[str], depth: int
) -> tuple[Lineage, ...]:
    """The ``parents`` or ``children`` (``side``) of a memory, each with its own, up to ``depth``
    generations. Memories in ``seen`` are left out; those that are found are added to it."""
    ids = [id_ for id_ in getattr(row, f"lineage_{side}") if id_ not in seen]
    seen.update(ids)
    out = []
    for relative in adapter.find(ids, context).values():
        if depth == 1:
            more = not seen.issuperset(getattr(relative, f"lineage_{side}"))
            out.append(Lineage(relative, more=more))
        else:
            further = _branches(adapter, context, relative, side, seen, depth - 1)
            parents, children = (further, ()) if side == "parents" else ((), further)
            out.append(Lineage(relative, parents, children))
    return tuple(out)
