"""What became of candidates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

from text2mem.ir.times.temporal import format_instant
from text2mem.ledger.candidate import Candidate, Reading

Became = Literal[
    "new", "repeat", "supersede", "late", "correct", "retract", "pending", "ignored", "rejected"
]
"""What a candidate did to the ledger.

``new``: nothing held there, or what waited counts now. ``repeat``: it held already, and gained a
source. ``supersede``: what held is closed where this begins. ``late``: it entered history.
``correct``: a version was wrong from its beginning. ``retract``: what held ends. ``pending``: it
waits. ``ignored``: it was read rightly and is not kept. ``rejected``: it cannot be stored.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one candidate, and why. ``ids`` are the facts that it made or touched.

    ``program`` is what was run for it, under ``trace_id``; empty where nothing was. ``denied``: the
    policy does not keep it.
    """

    candidate: Candidate
    became: Became
    reason: str
    ids: tuple[str, ...] = ()
    program: tuple[Mapping[str, Any], ...] = ()
    trace_id: str | None = None
    denied: bool = False

    def as_dict(self) -> dict[str, Any]:
        """The outcome as JSON, without a value that the policy denies."""
        said = self.candidate
        instants = {"valid_from": said.valid_from, "valid_to": said.valid_to}
        return {
            "became": self.became, "reason": self.reason, "subject": said.subject,
            "attribute": said.attribute, "value": None if self.denied else said.value,
            "kind": said.kind,
            "type": said.type, "confidence": said.confidence, "quote": list(said.quote),
            **{name: format_instant(at) for name, at in instants.items() if at is not None},
            "by": said.by, "ids": list(self.ids), "program": list(self.program),
            "trace_id": self.trace_id,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Observation:
    """What became of one message: its ``episode``, and what was read out of it.

    ``queued``: a worker is to read it. ``reading`` is None until it has been read; ``error`` is the
    kind of what kept it from being read now.
    """

    episode: str
    trace_id: str
    _: KW_ONLY
    queued: bool = False
    reading: Reading | None = None
    outcomes: tuple[Outcome, ...] = ()
    error: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """The observation as JSON."""
        told: dict[str, Any] = {
            "episode": self.episode, "trace_id": self.trace_id, "queued": self.queued,
            "error": self.error,
        }  # fmt: skip
        if self.reading is not None:
            told["nothing"] = self.reading.nothing
            told["outcomes"] = [outcome.as_dict() for outcome in self.outcomes]
        return told
