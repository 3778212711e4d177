"""Asking back: what a planner answers where the request leaves open what must not be guessed."""

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
"""Why a planner asks, as stable codes.

``nothing-found``: no memory is what the request names. ``ambiguous-target``: several are, and it
means one, or the one that is found is in doubt. ``everything``: it would change all there is,
many, or more than can be named. ``erases``: it would leave nothing of the content.
``missing-content``: it does not say what to write. ``unreadable-time``: no instant can be read of
its words. ``unsupported-by-request``: a text would say what nobody said. ``refused``: the store
would refuse it, such as for a lock. ``not-expressible``: no legal program came of it.
``model-asks``: the model that read the request asks.
"""
_SNIPPET = 120


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing that may have been meant: raw instances, and what they would do in a line."""

    label: str
    instances: list[Any]
    effect: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A question in place of a program, with what may have been meant.

    ``candidates`` are the memories that it is about, as ``candidate`` tells of them.
    """

    text: str
    reason: Reason
    options: tuple[Choice, ...] = ()
    candidates: tuple[Mapping[str, Any], ...] = ()


def candidates(records: Sequence[Record]) -> tuple[Mapping[str, Any], ...]:
    """What a question tells of memories: id, the beginning of the text in one line, tags, time."""
    return tuple(
        {
            "id": record.id,
            "text": short(record.text, _SNIPPET),
            "tags": list(record.tags),
            "time": format_instant(record.when),
        }
        for record in records
    )
