"""Who might have read a memory when: its past is judged by the rights that held then, too.

A memory that was made public today was nobody else's yesterday: what it held then stays unseen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from text2mem.adapters.base import Adapter
from text2mem.ir.context import ExecutionContext
from text2mem.ir.journal import Entry
from text2mem.ir.patch import patched
from text2mem.ir.record import Record
from text2mem.ir.rights import may_read

_RIGHTS = frozenset({"owner", "read_perm_level", "read_whitelist", "read_blacklist"})


def readable_then(
    ids: Iterable[str], adapter: Adapter, context: ExecutionContext
) -> Mapping[int, tuple[bool, bool]]:
    """For each journal entry of the memories, by its number: whether the actor could have read the
    memory before the entry, and after it."""
    by_id: dict[str, list[Entry]] = {}
    for entry in reversed(adapter.entries(context, ids=list(ids))):
        by_id.setdefault(entry.id, []).append(entry)
    found: dict[int, tuple[bool, bool]] = {}
    for id_, entries in by_id.items():
        rights: dict[str, object] = {}
        before = False
        for entry in entries:
            rights |= {c.field: c.after for c in entry.changes if c.field in _RIGHTS}
            gone = entry.forgotten or entry.kind == "removed"
            blank = Record(id=id_, created_at=entry.at, updated_at=entry.at)
            after = not gone and may_read(patched(blank, rights), context)
            # A memory that does not exist keeps nobody from reading the entry.
            found[entry.seq] = (
                after if entry.kind == "created" else before,
                before if entry.kind == "removed" else after,
            )
            before = after
    return found
