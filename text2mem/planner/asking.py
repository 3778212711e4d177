"""Asking back: what a planner answers where the request leaves open what must not be guessed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from text2mem.ir.record import Record
from text2mem.ir.temporal import format_instant

Reason = Literal[
    "nothing-found", "ambiguous-target", "everything", "missing-content", "condition",
    "unsupported-by-request", "not-expressible",
]  # fmt: skip
"""Why a planner asks, as stable codes.

``nothing-found``: no memory is what the request names. ``ambiguous-target``: several are, and it
means one. ``everything``: it would change all there is. ``missing-content``: it does not say what
to write. ``condition``: it hangs on something that cannot be checked. ``unsupported-by-request``:
the model's program does what nobody asked for. ``not-expressible``: the language has no program
for it.
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


def candidate(record: Record) -> dict[str, Any]:
    """What a question tells of a memory: id, the beginning of its text in one line, tags, time."""
    text = " ".join(record.text.split())
    return {
        "id": record.id,
        "text": text if len(text) <= _SNIPPET else f"{text[: _SNIPPET - 1]}…",
        "tags": list(record.tags),
        "time": format_instant(record.when),
    }
