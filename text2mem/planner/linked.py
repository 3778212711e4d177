"""The link of a step: the memories that its words mean, and the evidence for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from text2mem.ir.record import Record


@dataclass(frozen=True, slots=True)
class Link:
    """The memories that a step means, or why there are none."""

    records: tuple[Record, ...] = ()
    """The memories."""
    step: int | None = None
    """The number (from 1) of an earlier step whose result is meant instead."""
    everything: bool = False
    """Whether every memory of the store is meant."""
    rivals: tuple[Record, ...] = ()
    """Other memories that are as likely, where one memory is meant."""
    near: tuple[Record, ...] = ()
    """The best-fitting memories, where none fits well enough."""
    missing: str = ""
    """The words or ids for which the store holds no memory."""
    filter: Mapping[str, Any] | None = None
    """A filter of the language that hits exactly these memories. It is set where tags alone choose
    them, or where they are too many to be named one by one."""
    matched: int = 0
    """How many memories are meant, where ``records`` are only a part of them."""
    more: bool = False
    """Whether the store may hold more memories that are meant, and it is not known how many."""
    left_out: int = 0
    """How many memories were left out by ``except``."""
    named: bool = True
    """Whether the request says anything about which memories are meant."""
    primary: Record | None = None
    """The memory that a Merge keeps."""
    certainty: float = 1.0
    """The probability of the link. Of memories linked by words it is that of the best fit (of the
    nearest one where none is found); of picked ones, the reader's least certainty."""
    picked: bool = False
    """Whether the reader picked the memories by id."""
    borne_out: float = 1.0
    """The probability that the request's own words mean the picked memories."""
    margin: float = 0.0
    """How much likelier, in log-odds, they are than the likeliest other visible one."""
    blind: bool = False
    """Whether there were no vectors to compute ``borne_out`` and ``margin`` with."""
    given: tuple[str, ...] = ()
    """Ids that were not looked up, because there is no store."""

    @property
    def hit(self) -> int:
        """How many memories are known to be meant. With ``everything``, how many were looked at."""
        return max(self.matched, len(self.records))

    @property
    def cut(self) -> bool:
        """Whether more memories are meant than ``records`` holds, and no filter names them."""
        return self.filter is None and (self.more or self.hit > len(self.records))

    @property
    def ids(self) -> tuple[str, ...]:
        return self.given or tuple(record.id for record in self.records)
