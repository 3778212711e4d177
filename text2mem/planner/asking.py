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
"""Why a planner asks, as stable codes: see docs/planning.md, "Asking back"."""
_SNIPPET = 120
_TIMES = ("time", "remind_next", "created_at")
"""What a memory is about, when it reminds, when it was made."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing that may have been meant: raw instances, and their effect in one line."""

    label: str
    instances: list[Any]
    effect: str = ""
    keeps: bool = False
    """Whether it keeps what was said as a new memory, whichever memory the question is about."""


@dataclass(frozen=True, slots=True)
class ClarifyingQuestion:
    """A question in place of a program. ``options`` are what may have been meant; ``candidates``
    are the memories in question, as the function ``candidates`` describes them."""

    text: str
    reason: Reason
    options: tuple[Choice, ...] = ()
    candidates: tuple[Mapping[str, Any], ...] = ()


def candidates(records: Sequence[Record]) -> tuple[Mapping[str, Any], ...]:
    """Describe memories for a question: id, the beginning of its title, tags, and the first of
    ``_TIMES`` that it has, with the name of that field as ``time_field``."""
    return tuple(map(_candidate, records))


def _candidate(record: Record) -> Mapping[str, Any]:
    field = next(name for name in _TIMES if getattr(record, name) is not None)
    return {
        "id": record.id, "text": short(record.title, _SNIPPET), "tags": list(record.tags),
        "time": format_instant(getattr(record, field)), "time_field": field,
    }  # fmt: skip
