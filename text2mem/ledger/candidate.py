"""Candidates: statements that were read out of an episode, before they are reconciled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from text2mem.ir.record import Record
from text2mem.ledger.episode import Episode

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
class EarlierEpisode:
    """An earlier episode and the facts that were read out of it, whether they hold or not."""

    episode: Episode
    facts: tuple[Record, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of extracting from one episode."""

    candidates: tuple[Candidate, ...] = ()
    nothing: str | None = None
    """Why nothing was read, such as "document"."""
    counts: Mapping[str, int] | None = None
    """Figures for measurements: ``asked`` (questions to a model), ``prompt``, ``output`` and
    ``cached`` (tokens), ``invalid`` (answers that broke their schema)."""
