"""What a request tells of an op's args, and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from text2mem.planner.evidence import Mention
from text2mem.planner.requests import Span

Raw = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Told:
    """The args that a request tells, and where. ``complete``: there is nothing left to ask for."""

    args: Raw
    spans: tuple[Span, ...] = ()
    complete: bool = True


def spans(*mentions: Mention) -> tuple[Span, ...]:
    """Where mentions stand in the utterance."""
    return tuple((mention.start, mention.end) for mention in mentions)
