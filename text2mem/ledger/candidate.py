"""Candidates: the statements that were read out of an episode, before they are reconciled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from text2mem.ir.record import Record
from text2mem.ledger.episode import Episode

Kind = Literal["state", "correct", "retract", "confirm", "reject"]
"""What a candidate does.

``state``: it is so (the ledger finds out whether that is new, a repeat, a change, or late).
``correct``: an earlier statement was wrong; this stands in its place, from its beginning on.
``retract``: it holds no longer, from ``valid_to`` on; with ``never`` it never did.
``confirm`` and ``reject``: the yes or no to what waits.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One value of one attribute of one subject, as an episode states it.

    ``subject`` is folded (``name_key``): a name, ``user`` for a speaker without one, a
    relative without a name as ``<owner>_<relation>``. ``value`` is as it was said; None only where
    a retraction, a yes or a no leaves it open. ``valid_from`` None of a state is the episode's
    instant, unless ``valid_to`` is told: then it is before all others. Instants are aware.
    ``replaces`` is the value that a correction names as wrong. ``quote`` is from where to where in
    the episode's text. ``confidence`` is from 0 to 1, of the reading and of the speaker together.
    """

    subject: str
    attribute: str
    value: Any
    kind: Kind = "state"
    type: str = "fact"
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    never: bool = False
    replaces: Any = None
    confidence: float = 0.9
    quote: tuple[int, int] = (0, 0)
    by: Literal["code", "model"] = "code"


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier episode and the facts that were read out of it (held or not any more)."""

    episode: Episode
    facts: tuple[Record, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """What an extraction made of an episode.

    ``nothing`` says why there is nothing, where there is nothing, such as "document".
    ``counts`` are figures for measurements: ``asked`` (questions to a model), ``prompt``,
    ``output``, ``cached`` (tokens), ``invalid`` (answers that broke their schema).
    """

    candidates: tuple[Candidate, ...] = ()
    nothing: str | None = None
    counts: Mapping[str, int] | None = None
