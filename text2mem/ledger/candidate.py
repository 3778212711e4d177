"""Candidates: statements that were read out of an episode, and what became of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from datetime import datetime
from typing import Any, Literal

from text2mem.ir.journal import ABOUT, WITHHELD
from text2mem.ir.times.temporal import format_instants
from text2mem.ir.words.naming import name_key
from text2mem.ledger.episode import Episode

_NAME = 60
"""The most characters of a value that may be a name. A value with digits is not taken for one."""

Kind = Literal["state", "correct", "retract", "confirm", "reject"]
"""What a candidate says.

``state``: the value holds. The ledger decides whether that is new, a repeat, a change, or late.
``correct``: an earlier statement was wrong. This replaces it, from that one's beginning on.
``retract``: the value holds no longer from ``valid_to`` on. With ``never`` it never held.
``confirm``, ``reject``: the yes or no to a pending fact.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One value of one attribute of one subject, as an episode states it."""

    subject: str
    """The folded name (``name_key``): ``user`` for a speaker without a name, and
    ``<owner>_<relation>`` for a relative without one."""
    attribute: str
    value: Any
    """The value as it was said. None only if a retraction, a yes or a no names none."""
    kind: Kind = "state"
    type: str = "fact"
    valid_from: datetime | None = None
    """When it begins; aware. None is the episode's instant; of what is over then, the earliest."""
    valid_to: datetime | None = None
    latest: datetime | None = None
    """If a day, a month or a year is named: the latest instant at which it may begin (or end)."""
    never: bool = False
    """Whether a retraction says that the value never held."""
    replaces: Any = None
    """The value that a correction names as wrong, or that a change ends."""
    confidence: float = 0.9
    """From 0 to 1: how sure the speaker and the reading are together."""
    quote: tuple[int, int] = (0, 0)
    """The span of characters in the episode's text that states it."""
    by: Literal["code", "model"] = "code"


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of extracting from one episode."""

    candidates: tuple[Candidate, ...] = ()
    nothing: str | None = None
    """Why nothing was read, such as "document"."""
    counts: Mapping[str, int] | None = None
    """Figures for measurements: ``asked`` (questions to a model), ``prompt``, ``output`` and
    ``cached`` (tokens), ``invalid`` (answers that broke their schema)."""


Became = Literal[
    "new", "repeat", "supersede", "late", "correct", "retract", "pending", "ignored", "rejected"
]
"""What a candidate did to the ledger.

- ``new``: nothing held there, or a pending fact counts now.
- ``repeat``: the value held already, and gained a source.
- ``supersede``: the version that held is closed where this one begins.
- ``late``: it was entered into the past, beside versions of later times.
- ``correct``: it replaces a wrong version from that one's beginning on.
- ``retract``: a version ends, or a pending fact is deleted.
- ``pending``: it waits for a yes or for more evidence.
- ``ignored``: it was read correctly, but is not kept.
- ``rejected``: it cannot be stored.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of one candidate."""

    candidate: Candidate
    became: Became
    reason: str
    ids: tuple[str, ...] = ()
    """The facts that it created or changed."""
    program: tuple[Mapping[str, Any], ...] = ()
    trace_id: str | None = None
    """That of the program; None if it was not run, or was refused."""
    denied: bool = False

    def as_dict(self) -> dict[str, Any]:
        """The outcome as JSON, without a value that the policy denies."""
        candidate = self.candidate
        return {
            "became": self.became, "reason": self.reason, "subject": candidate.subject,
            "attribute": candidate.attribute, "value": None if self.denied else candidate.value,
            "kind": candidate.kind, "type": candidate.type, "confidence": candidate.confidence,
            "quote": list(candidate.quote),
            **format_instants({"valid_from": candidate.valid_from, "valid_to": candidate.valid_to}),
            "by": candidate.by, "ids": list(self.ids), "program": list(self.program),
            "trace_id": self.trace_id,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Observation:
    """The result of observing one message."""

    episode: str
    trace_id: str
    """That of the program that stored it."""
    _: KW_ONLY
    queued: bool = False
    """Whether a worker is to read it."""
    reading: Reading | None = None
    """None if it has not been read."""
    outcomes: tuple[Outcome, ...] = ()
    error: str | None = None
    """The kind of the error because of which it was not read."""

    def as_dict(self) -> dict[str, Any]:
        fields: dict[str, Any] = {
            "episode": self.episode, "trace_id": self.trace_id, "queued": self.queued,
            "error": self.error,
        }  # fmt: skip
        if self.reading is not None:
            fields["nothing"] = self.reading.nothing
            fields["outcomes"] = [outcome.as_dict() for outcome in self.outcomes]
        return fields


def labelling(
    episode: Episode, judged: Sequence[tuple[Candidate, bool]]
) -> Mapping[str, Any] | None:
    """The Label step that adds its subjects to an episode, by which forgetting finds one that is
    the source of no fact, as it only ended, denied or confirmed something; None if it has none.

    ``judged`` are its candidates, each with whether the policy denies it. The value of a denied one
    is left out, and the episode is marked as withheld.
    """
    subjects = {name_key(candidate.subject) for candidate, _ in judged}
    values = {name_key(c.value) for c, denied in judged if not denied and isinstance(c.value, str)}
    names = subjects | {v for v in values if len(v) <= _NAME and not any(map(str.isdigit, v))}
    if not names - {""}:
        return None
    facets: dict[str, Any] = {ABOUT: sorted(names - {""})}
    if any(denied for _, denied in judged):
        facets[WITHHELD] = True
    args = {"facets": facets, "mode": "add"}
    return {"stage": "STO", "op": "Label", "target": {"ids": [episode.id]}, "args": args}
