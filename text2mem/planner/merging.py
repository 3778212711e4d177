"""Merging: which memories a step puts together, and which of them is to hold them all."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from text2mem.ir.ports import StoreView
from text2mem.ir.record import Record
from text2mem.planner.conditions import Stated
from text2mem.planner.grounding import Picture
from text2mem.planner.requests import Span, Step
from text2mem.planner.selection import MOST, Aim, about
from text2mem.planner.topics import Topic, clause_text, topics

_INTO = re.compile(
    r"(?:\b(?:in)?to|\bin|\bpart of|\bunder|\binside|\binto)\s+$"
    r"|(?:并入|归并到|归入|合并到|并到|并进|合到|合进|放进|放到|整合到|整合进|加到|加进|纳入|收进|收入|归进|归到|以|用)[^，。；]{0,4}$",
    re.IGNORECASE,
)
_MAIN = re.compile(
    r"^(?:[^，。；]{0,3})(?:为主|为准|作为主|当主)|^ (?:as|being) the (?:main|"
    r"primary)\b",
    re.IGNORECASE,
)
_LATTER = re.compile(r"(?:前者|它|前一?条)[^，。；]{0,4}(?:并|放|合|归)[^，。；]{0,3}后者|"
                     r"\binto the (?:latter|second)\b", re.I)  # fmt: skip
_ID_INTO = re.compile(r"(?:\b(?:in)?to|并入|归并到|合并到|并到|合到|"
                      r"放进)\s*(?:memory |note |第|记忆|笔记|#)?\s*$", re.IGNORECASE)  # fmt: skip


def parted(
    step: Step,
    masked: Sequence[Span],
    view: StoreView,
    picture: Picture,
    pointed: Callable[[], Aim],
) -> Aim | None:
    """ "Merge A into B": B is the primary. None where the step does not name a place for them.

    ``pointed`` is what the step points to, where it says "them".
    """
    text = clause_text(step, masked)
    named = [one for one in topics(text, picture.vocabulary.types) if one.telling]
    primary = _primary(step.words, text, named)
    if primary is None or (len(named) == 1 and not step.own("pronoun")):
        return None
    into = about("Merge", _one(primary), Stated(), view, picture)
    if into.selector is None or into.guessed:
        return Aim(None, phrase=primary.words, near=into.near or into.records)
    others = [one for one in named if one is not primary]
    if not others:
        return _joined([pointed()], into.records[0])
    found = [about("Merge", one, Stated(), view, picture) for one in others]
    for one, aim in zip(others, found, strict=True):
        if aim.selector is None or aim.guessed:
            return Aim(None, phrase=one.words, near=aim.near or aim.records)
    return _joined(found, into.records[0])


def by_number(step: Step, found: Aim) -> Aim:
    """Memories by their ids, with the one that the others go into."""
    mentions = step.own("id")
    before = step.evidence.utterance[step.clause.start : mentions[-1].start]
    if found.selector is None or len(mentions) < 2 or not _ID_INTO.search(before):
        return found
    by_id = {row.id: row for row in found.records}
    primary = by_id[mentions[-1].value]
    others = [row for row in found.records if row.id != primary.id]
    return _joined([Aim({"ids": [row.id for row in others]}, tuple(others))], primary)


def _primary(said: str, text: str, named: Sequence[Topic]) -> Topic | None:
    """The memory that the others are to go into."""
    for one in named:
        before, after = text[: one.start], text[one.end :]
        if _MAIN.match(after):
            return one
        if _INTO.search(_definite(before)) and not (len(named) > 1 and one is named[0]):
            return one
    if len(named) > 1 and named[-1].noun == "one":
        return named[-1]
    if len(named) > 1:
        return named[1] if _LATTER.search(said) else named[0]
    return None


def _definite(before: str) -> str:
    return re.sub(r"\b(?:the|my|our|that|this)\s+$", "", before, flags=re.IGNORECASE)


def _one(primary: Topic) -> Topic:
    return Topic(primary.words, primary.noun, False, primary.start, primary.end)


def _joined(found: Sequence[Aim], primary: Record) -> Aim:
    """The primary and the others, by their ids; the primary alone is no merge."""
    ids: list[str] = []
    rows: list[Record] = []
    for aim in found:
        if aim.records:
            rows += [row for row in aim.records if row.id != primary.id]
        else:
            ids += (aim.selector or {}).get("ids", [])
    ids += list(dict.fromkeys(row.id for row in rows))[:MOST]
    if not ids:
        return Aim(None, near=(primary,))
    return Aim({"ids": [primary.id, *ids]}, (primary, *rows), primary=primary.id)
