"""What a step is linked to, and what speaks for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from text2mem.ir.record import Record


@dataclass(frozen=True, slots=True)
class Link:
    """What a step's words stand for.

    ``records`` are the memories, ``step`` (1-based) an earlier step instead, ``everything`` all
    there is. ``rivals`` are as likely where one is meant; ``near`` is closest where nothing is
    found; ``missing`` the words or ids of which the store holds nothing. ``filter`` is one of the
    language that says the same, where tags alone choose the memories or these are too many to be
    named one by one; ``matched`` is how many are meant at least, where ``records`` are a part of
    them. ``named`` is whether anything was said of which ones; ``primary`` is the one that a Merge
    keeps; ``certainty`` is the least probability of what was linked by words (of the nearest where
    nothing is found), or ``picked`` by the reader, and ``borne_out`` how likely the request's own
    words mean what was picked, ``apart`` by how much rather than any other, ``blind`` where no
    vectors say so; ``given`` are ids that no store was there to look up.
    """

    records: tuple[Record, ...] = ()
    step: int | None = None
    everything: bool = False
    rivals: tuple[Record, ...] = ()
    near: tuple[Record, ...] = ()
    missing: str = ""
    filter: Mapping[str, Any] | None = None
    matched: int = 0
    named: bool = True
    primary: Record | None = None
    certainty: float = 1.0
    picked: bool = False
    borne_out: float = 1.0
    apart: float = 0.0
    blind: bool = False
    given: tuple[str, ...] = ()

    @property
    def hit(self) -> int:
        """How many memories are meant; of ``everything`` those that were looked at."""
        return max(self.matched, len(self.records))

    @property
    def cut(self) -> bool:
        """Whether more are meant than are here, and nothing else says which."""
        return self.hit > len(self.records) and self.filter is None

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the memories."""
        return self.given or tuple(record.id for record in self.records)
