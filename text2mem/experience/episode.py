"""An episode: a request, what it turned out to mean, and how that was found out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal, cast, get_args

from text2mem.ir.record import Record
from text2mem.ir.words.segment import query_terms, width
from text2mem.planner.ask import Example
from text2mem.planner.draft import Draft, Step, read_draft
from text2mem.planner.own_words import own_words

Outcome = Literal["corrected", "chosen"]
"""By other words after a misreading, or by a choice among the options of a question."""
LONGEST = 200
"""The most letters (Chinese ones count twice) of a request that brings no text along."""
_LONGEST_DRAFT, _WIDE = 400, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """A request of an actor and the draft that was right.

    ``told`` are the words that explained ``request``; empty if an option was chosen. ``trace_id``
    is the program that resulted, and ``rests_on`` are the memories that it touched. ``id`` and
    ``at`` are set by the bank.
    """

    request: str
    draft: Draft
    outcome: Outcome
    told: str = ""
    actor: str = ""
    trace_id: str = ""
    rests_on: tuple[str, ...] = ()
    id: str = ""
    at: datetime | None = None

    @property
    def teaches(self) -> bool:
        """Whether a reader may be shown it: it has steps, and no text of somebody else's."""
        words = (self.request, self.told, self.draft.dump())
        limits = (LONGEST, LONGEST, _LONGEST_DRAFT)
        fits = all(width(each, _WIDE) <= most for each, most in zip(words, limits, strict=True))
        one_line = all(each.splitlines() in ([], [each]) for each in words[:2])
        return bool(self.draft.steps) and fits and one_line

    @property
    def example(self) -> Example:
        """The part of it that a reader is shown."""
        return Example(self.request, self.draft, self.told)

    def encoded(self) -> dict[str, Any]:
        """The program that keeps it."""
        facets = {
            "draft": self.draft.dump(), "told": self.told, "rests_on": json.dumps(self.rests_on)
        }  # fmt: skip
        args = {
            "payload": {"text": self.request}, "type": "episode", "tags": [self.outcome],
            "facets": facets, "subject": self.actor or None, "topic": self.trace_id or None,
        }  # fmt: skip
        given = {name: value for name, value in args.items() if value is not None}
        return {"stage": "ENC", "op": "Encode", "args": given}


def episode_of(record: Record) -> Episode | None:
    """The episode in a memory of the bank; None if it holds none, or no valid draft any more."""
    facets: Mapping[str, Any] = record.facets
    outcomes = [tag for tag in record.tags if tag in get_args(Outcome)]
    try:
        draft = read_draft(json.loads(facets["draft"]))
        rests_on = tuple(map(str, json.loads(facets["rests_on"])))
    except (KeyError, TypeError, ValueError):
        return None
    if not isinstance(draft, Draft) or not outcomes:
        return None
    return Episode(
        request=record.text, draft=draft, outcome=cast("Outcome", outcomes[0]),
        told=str(facets.get("told", "")), actor=record.subject or "",
        trace_id=record.topic or "", rests_on=rests_on, id=record.id, at=record.created_at,
    )  # fmt: skip


def in_words_of(
    request: str, draft: Draft, misread: Draft | None, told: str, texts: Iterable[str]
) -> Draft:  # fmt: skip
    """Adapt a draft that was read from other words (``told``) to ``request``, without words that
    name only the memories of that day.

    ``texts`` are the texts of these memories. An ``about`` stays if they share a term with it: this
    is what an own word stands for. Else it is replaced by the misread draft's ``about``, with usual
    words in place of own ones ("that thing" identifies nothing), if ``request`` says that.
    """
    said, held = request.casefold(), frozenset(query_terms("\n".join(texts)))
    own = own_words(request, request, told)
    there = [
        about
        for step in (misread.steps if misread is not None else ())
        if (about := step.words("about")) and about.casefold() in said
    ]
    plain = [own.plain(about) for about in there] if own is not None else there
    there = plain if held & {*query_terms(" ".join(plain))} else there
    return replace(draft, steps=tuple(_named_by(step, said, held, there) for step in draft.steps))


def _named_by(step: Step, said: str, held: frozenset[str], there: Sequence[str]) -> Step:
    """The step with an ``about`` that holds for ``request``."""
    about = step.words("about")
    leans = step.values.get("which") == "earlier" or bool(step.listed("ids"))
    named = held.intersection(query_terms(about)) if about else frozenset()
    stays = about.casefold() in said if about else not leans
    kept = {name: value for name, value in step.values.items() if name not in ("which", "ids")}
    if named or stays:
        return replace(step, values=kept) if about else step
    return replace(step, values={**kept, "about": there[0]}) if len(there) == 1 else step
