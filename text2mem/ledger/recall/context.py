"""The smallest cited context: a line a fact or memory, within a budget of tokens.

Tokens are estimated (``services.portions``): four Latin characters or one CJK character are one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, tzinfo

from text2mem.ir.record import Record
from text2mem.ir.values import as_text
from text2mem.ledger.episode import EPISODE
from text2mem.ledger.holdings import sources
from text2mem.ledger.recall.recalled import Line
from text2mem.ledger.words import day_of, validity
from text2mem.services.portions import clipped, tokens

_CITED = 4
"""How many of a fact's episodes a line names: the first ones, and the latest."""
_LONGEST = 120
"""Tokens of one memory's text."""


def fact_line(record: Record, episodes: Mapping[str, Record], tz: tzinfo, now: datetime) -> Line:
    """``[e12] mira.city = Ghent (since 2026-06-03)``; episodes that are gone are not cited."""
    there = [id_ for id_ in sources(record) if id_ in episodes]
    if len(there) > _CITED:
        there = [*there[: _CITED - 1], there[-1]]
    labels = tuple(f"e{id_}" for id_ in there) or (f"m{record.id}",)
    value = one_line(as_text(record.value))
    over = record.valid_to is not None and record.valid_to <= now
    when = validity(record.valid_from, record.valid_to, tz)
    said = f"{record.subject}.{record.attribute} = {value}{when}"
    return Line(f"[{' '.join(labels)}] {said}", labels, (record.id,), old=over)


def memory_line(record: Record, tz: tzinfo, *, old: bool = False) -> Line:
    """``[e12] 2026-06-03 mira: …``: what somebody said, or a memory that is no fact."""
    label = f"e{record.id}" if record.type == EPISODE else f"m{record.id}"
    who = record.facets.get("speaker") or record.facets.get("role") or record.type or "note"
    held = record.text or json.dumps(record.payload, ensure_ascii=False)
    text = clipped(one_line(held), _LONGEST)
    marked = "(no longer so) " if old else ""
    day = day_of(record.when, tz)
    said = f"[{label}] {day} {one_line(str(who))}: {marked}{text}"
    return Line(said, (label,), (record.id,), old)


def within(lines: Iterable[Line], budget: int) -> tuple[tuple[Line, ...], int]:
    """The lines in order as far as the budget goes, each once, and their tokens.

    A line that does not fit is left out; shorter ones after it may still come in.
    """
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
    """A text on one line, without the angle brackets that could end the block it is put in."""
    return " ".join(text.split()).replace("<", "(").replace(">", ")")


def labels(lines: Sequence[Line]) -> tuple[str, ...]:
    """The labels of lines, each once."""
    return tuple(dict.fromkeys(label for line in lines for label in line.citations))
