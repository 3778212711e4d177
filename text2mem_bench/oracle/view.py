"""What a planner may see of the plain store's store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from text2mem.adapters.base import Adapter, Embedding
from text2mem.adapters.viewing import VIEW_REACH, AdapterView, as_woken, most_frequent, vocabulary
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ports import Hidden, Vocabulary
from text2mem.ir.record import Record
from text2mem.ir.words.naming import name_key
from text2mem_bench.oracle.sight import newest_first, shown
from text2mem_bench.oracle.state import State

_FIELDS = {"subjects": "subject", "attributes": "attribute"}


class PlainView(AdapterView):
    """A view that looks at every memory, every time."""

    def __init__(
        self, adapter: Adapter, state: Callable[[], State], context: ExecutionContext
    ) -> None:
        super().__init__(adapter, context)
        self._present = state  # a transaction that fails puts another state in its place

    @as_woken
    def tags(self, limit: int = 64) -> Sequence[str]:
        return most_frequent(Counter(tag for row in self._seen() for tag in row.tags), limit)

    @as_woken
    def recent(self, limit: int = 8, *, facts: bool = False) -> Sequence[Record]:
        seen = [row for row in self._seen() if row.is_fact or not facts]
        return sorted(seen, key=lambda row: (row.when, int(row.id)), reverse=True)[:limit]

    def recent_subjects(self, limit: int) -> Sequence[str]:
        return [name_key(row.subject) for row in self.recent(limit, facts=True) if row.subject]

    def subjects_among(self, names: Collection[str]) -> set[str]:
        there = (record.subject for record in self._present().in_order())
        return {name_key(each) for each in there if each is not None}.intersection(names)

    @as_woken
    def vocabulary(
        self, limit: int = 256, *, include: Hidden = (), facts: int | None = None
    ) -> Vocabulary:
        seen = self._seen(include, reach=facts or VIEW_REACH, facts=facts is not None)
        counts: dict[str, Counter[Any]] = {
            name: Counter(held for row in seen if (held := getattr(row, of)) is not None)
            for name, of in _FIELDS.items()
        }
        if facts is None:
            counts["tags"] = Counter(tag for row in seen for tag in row.tags)
        return vocabulary(counts, limit)

    def _seen(
        self, include: Hidden = (), *, reach: int | None = None, facts: bool = False
    ) -> list[Record]:
        """The memories, or facts, in sight: of the newest ``reach`` hidden and as many others."""
        scope, state = self._scope(include), self._present()
        kinds: dict[bool, list[Record]] = {False: [], True: []}
        for record in newest_first(state.in_order()):
            if record.is_fact or not facts:
                kinds[_hidden(record)].append(record)
        rows = (shown(row, state, scope) for kind in kinds.values() for row in kind[:reach])
        return [row for row in rows if row is not None]

    def vectors(self, ids: Sequence[str]) -> Mapping[str, Sequence[float]]:
        held = self._present().vectors
        return {id_: held[id_] for id_ in ids if id_ in held}

    def _embedding(self) -> Embedding | None:
        return self._present().held

    def _over(self) -> bool:
        now = self._now
        ends = (record.demoted_until for record in self._present().in_order())
        return any(end is not None and end <= now for end in ends)


def _hidden(record: Record) -> bool:
    """Out of sight of an ordinary read, but for versions that begin or end in the future."""
    ended = record.is_fact and record.valid_to is not None
    return record.deleted or record.archived or record.pending or ended
