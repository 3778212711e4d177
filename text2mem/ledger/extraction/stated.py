"""What a model reads of a sentence of which code reads nothing: one attribute, of whom, its value.

The attributes and subjects are offered, the value is copied. What does not stand in the sentence,
or does not fit its attribute, is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from text2mem.ir.naming import fold
from text2mem.ir.registry import Attribute
from text2mem.ir.segment import HAN
from text2mem.ir.values import UnfitValue
from text2mem.ledger.candidate import Candidate, Known
from text2mem.ledger.episode import Episode
from text2mem.ledger.extraction.about import about
from text2mem.ledger.extraction.asking import FREE, Counts, asked, data, schema
from text2mem.ledger.extraction.chinese.concepts import concept_of
from text2mem.ledger.extraction.chinese.piece import Piece
from text2mem.ledger.extraction.chinese.values import cleaned, valued
from text2mem.ledger.extraction.chinese.when import Days, told
from text2mem.ledger.extraction.english.clause import Clause
from text2mem.ledger.extraction.english.nouns import fitted
from text2mem.ledger.extraction.english.scene import Scene
from text2mem.ledger.extraction.english.values import trimmed
from text2mem.ledger.extraction.english.vocabulary import Vocabulary
from text2mem.ledger.extraction.offers import offered
from text2mem.ledger.extraction.unread import hedged
from text2mem.prompts import load
from text2mem.providers.base import Provider

NONE = "none"
_SURE = 0.6
"""Of an attribute that a sign in the sentence speaks for: above the floor of most policies."""
_UNSURE = 0.45
_EMPTY = re.compile(
    r"(?:i|me|my|mine|you|we|us|our|ours|he|she|it|they|this|that|there|here|now|today|then|one|"
    r"him|her|them|none|no|yes|something|nothing|someone|我|你|他|她|它|这|那|我们|这个|那个|user)",
    re.IGNORECASE,
)


def stated(
    episode: Episode,
    known: Known,
    spans: list[tuple[int, int]],
    provider: Provider,
    *,
    seed: int,
    counts: Counts,
) -> Candidate | None:
    """The candidate of the most telling one of several sentences; one question."""
    offers = []
    for span in spans:
        said = episode.text[slice(*span)]
        who = about(episode, known, span)
        names = offered(known, who, said) if who else {}
        offers += [(span, who, names)] if who and names else []
    if not offers:
        return None
    span, who, names = max(offers, key=lambda each: max(each[2].values()))
    said = episode.text[slice(*span)]
    prompt = "extract_stated_zh" if HAN.search(said) else "extract_stated"
    turns = load(prompt).filled(what=", ".join(names), said=data(said))

    def check(answer: Mapping[str, Any]) -> str | None:
        what, value = str(answer.get("what")), str(answer.get("value"))
        if what == NONE:
            return None
        if what not in names:
            return f"'what' has to be one of: {', '.join([*names, NONE])}"
        at = place(said, value)
        if at is None:
            return "'value' has to be words of the sentence"
        return "'value' has to be a few words" if _unlikely(what, who, said, at) else None

    shape = schema(what=[*names, NONE], value=FREE)
    answer = asked(provider, turns, shape, check, seed, counts)
    if answer is None or answer["what"] == NONE:
        return None
    what = str(answer["what"])
    at = place(said, str(answer["value"]))
    if at is None:
        return None
    return _made(episode, known, span, (what, who, at), names[what])


def place(said: str, value: str) -> tuple[int, int] | None:
    """Where the words of a value stand in a sentence, as whole words; None where they do not."""
    words = value.strip(" \t\n.,;:!?。，！？；：\"'“”「」").split()
    if not words:
        return None
    pattern = r"\s+".join(re.escape(word) for word in words)
    edged = (
        pattern
        if HAN.search(value)
        else rf"(?<![^\W_\u3400-\u9fff]){pattern}(?![^\W_\u3400-\u9fff])"
    )
    found = re.search(edged, said, re.IGNORECASE)
    return found.span() if found else None


def _unlikely(what: str, who: str, said: str, at: tuple[int, int]) -> bool:
    """Whether the words can hardly be a value: a pronoun, all of the sentence, what it is about."""
    value = said[slice(*at)]
    most = 16 if HAN.search(value) else 60
    if _EMPTY.fullmatch(value) or len(value) > most or len(value) > 0.8 * len(said):
        return True
    return fold(value) in (fold(what), who, fold(what).rstrip("s"))


def _made(
    episode: Episode,
    known: Known,
    span: tuple[int, int],
    chosen: tuple[str, str, tuple[int, int]],
    signs: int,
) -> Candidate | None:
    """The candidate, its value and times read by code."""
    what, who, at = chosen
    attribute = known.registry.attribute(what)
    if HAN.search(episode.text[slice(*span)]):
        value, since, until = _chinese(episode, span, at, attribute)
    else:
        value, since, until = _english(episode, known, span, at, attribute)
    if value is None:
        return None
    doubted = hedged(episode.text[slice(*span)])
    try:
        known.registry.normalise(attribute, value)
    except UnfitValue:
        return None
    return Candidate(
        subject=who, attribute=attribute.name, value=value,
        type=Vocabulary(known).type_of(attribute.name),
        valid_from=since, valid_to=until, quote=span, by="model",
        confidence=_SURE if attribute.declared and signs > 1 and not doubted else _UNSURE,
    )  # fmt: skip


_Read = tuple[Any, datetime | None, datetime | None]


def _english(
    episode: Episode, known: Known, span: tuple[int, int], at: tuple[int, int], one: Attribute
) -> _Read:
    clause = Clause.of(Scene(episode, known), *span)
    bare = trimmed(episode.text[slice(*span)], *at)
    value = fitted(clause, one.name, bare.text) if bare else None
    return value, clause.begins or clause.changed, clause.ends


def _chinese(episode: Episode, span: tuple[int, int], at: tuple[int, int], one: Attribute) -> _Read:
    days = Days(episode.at, episode.tz)
    words = cleaned(episode.text[slice(*span)][slice(*at)])
    value = valued(words, one, concept_of(one.name), days) if words else None
    times = told(Piece.of(episode.text[slice(*span)]), days)
    return value, times.since, times.until
