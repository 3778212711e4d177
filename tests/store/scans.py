"""The accesses of a server's plans: how, of which table, by which index."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from text2mem_bench.plans import Plan

_SCAN = re.compile(r"([A-Z][A-Za-z ]*) Scan(?: Backward)?(?: using (\w+))? on (\w+)(.*)")
_OF_TABLES = frozenset(("Seq", "Index", "Index Only", "Bitmap Index", "Bitmap Heap", "Tid"))


@dataclass(frozen=True, slots=True)
class Scan:
    """One access; ``ran`` says whether it came to it."""

    how: str
    table: str
    index: str
    ran: bool


def scans(plans: Sequence[Plan]) -> Iterator[Scan]:
    """Every access of some plans; the index of a bitmap stands by itself."""
    for plan in plans:
        for how, index, name, rest in _SCAN.findall(plan.text):
            if how in _OF_TABLES:
                table, by = ("", name) if how == "Bitmap Index" else (name, index)
                yield Scan(how, table, by, "never executed" not in rest)
