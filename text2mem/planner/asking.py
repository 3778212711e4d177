"""Asking back: the question that a planner returns where a guess could do harm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from text2mem.ir.effects import short
from text2mem.ir.record import Record
from text2mem.ir.times.temporal import format_instant

Reason = Literal[
    "nothing-found", "ambiguous-target", "everything", "erases", "missing-content",
    "unreadable-time", "unsupported-by-request", "refused", "not-expressible",
    "model-asks",
]  # fmt: skip
"""Why a planner asks, as stable codes:

- ``nothing-found``: no memory is what the request names;
- ``ambiguous-target``: several memories fit and one is meant, or the one that was found is in
  doubt;
- ``everything``: it would change every memory, many, or more than can be named;
- ``erases``: it would leave nothing of the content;
- ``missing-content``: it does not say what to write;
- ``unreadable-time``: no instant can be read from its words;
- ``unsupported-by-request``: a text would say what nobody said;
- ``refused``: the store would refuse it, for example because of a lock;
- ``not-expressible``: no legal program came of it;
- ``model-asks``: the model that read the request asks.
"""
_SNIPPET = 120


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing that may have been meant: raw instances, and their effect in one line."""

    label: str
    instances: list[Any]
    effect: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A question in place of a program. ``options`` are what may have been meant; ``candidates``
    are the memories in question, as the function ``candidates`` describes them."""

    text: str
    reason: Reason
    options: tuple[Choice, ...] = ()
    candidates: tuple[Mapping[str, Any], ...] = ()


def candidates(records: Sequence[Record]) -> tuple[Mapping[str, Any], ...]:
    """Describe memories for a question: id, the beginning of the text in one line, tags, time."""
    return tuple(
        {
            "id": record.id,
            "text": short(record.text, _SNIPPET),
            "tags": list(record.tags),
            "time": format_instant(record.when),
        }
        for record in records
    )
