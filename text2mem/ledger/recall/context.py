"""Write the context of a recall: one cited line for each fact or memory, within a budget of tokens.

Tokens are estimated (``services.portions``): four Latin characters or one CJK character are one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, tzinfo

from text2mem.ir.record import Record
from text2mem.ledger.episode import EPISODE
from text2mem.ledger.holdings import sources
from text2mem.ledger.recall.recalled import Line
from text2mem.ledger.words import day_of, validity
from text2mem.services.portions import clipped, tokens

_CITED = 4
"""The most episodes that a line cites: the first ones, and the latest."""
_LONGEST = 120
"""The most tokens of one memory's text."""


def fact_line(record: Record, episodes: Mapping[str, Record], tz: tzinfo, now: datetime) -> Line:
    """The line of a fact: ``[e12] mira.city = Ghent (since 2026-06-03)``. It cites ``episodes``,
    those that exist, by id; if none is among its sources, the fact itself."""
    cited = [id_ for id_ in sources(record) if id_ in episodes]
    if len(cited) > _CITED:
        cited = [*cited[: _CITED - 1], cited[-1]]
    labels = tuple(f"e{id_}" for id_ in cited) or (f"m{record.id}",)
    when = validity(record.valid_from, record.valid_to, tz)
    text = f"[{' '.join(labels)}] {one_line(record.title)}{when}"
    return Line(text, labels, (record.id,), old=record.ends <= now)


def memory_line(record: Record, tz: tzinfo, *, old: bool = False) -> Line:
    """The line of an episode or another memory that is no fact: ``[e12] 2026-06-03 mira: …``."""
    label = f"e{record.id}" if record.type == EPISODE else f"m{record.id}"
    who = record.facets.get("speaker") or record.facets.get("role") or record.type or "note"
    content = record.text or json.dumps(record.payload, ensure_ascii=False)
    text = clipped(one_line(content), _LONGEST)
    mark = "(no longer so) " if old else ""
    day = day_of(record.when, tz)
    line = f"[{label}] {day} {one_line(str(who))}: {mark}{text}"
    return Line(line, (label,), (record.id,), old)


def within(lines: Iterable[Line], budget: int) -> tuple[tuple[Line, ...], int]:
    """The lines that fit into the budget, in order and without repeated memories, and their tokens.
    Shorter lines may still fit after one that does not."""
    kept: list[Line] = []
    shown: set[str] = set()
    spent = 0
    for line in lines:
        cost = tokens(line.text) + 1
        if not shown.issuperset(line.records) and spent + cost <= budget:
            kept.append(line)
            shown.update(line.records)
            spent += cost
    return tuple(kept), spent


def one_line(text: str) -> str:
    """The text on one line, with parentheses for angle brackets, so that it ends no block."""
    return " ".join(text.split()).replace("<", "(").replace(">", ")")


def labels(lines: Sequence[Line]) -> tuple[str, ...]:
    """The labels that the lines cite, without duplicates."""
    return tuple(dict.fromkeys(label for line in lines for label in line.citations))
