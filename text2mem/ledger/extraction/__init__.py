"""Extraction: typed candidates out of an episode (docs/typed-memory.md).

What an assistant says yields nothing. Structured messages are read field by field, a text by the
model that reads conversations (docs/statements.md), or by the tables of its language. A model that
does not is asked only of clauses that code has left open, among what code has found.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from text2mem.ir.given import without_given
from text2mem.ir.ports import Embedder
from text2mem.ir.segment import HAN
from text2mem.ledger.candidate import Known, Reading
from text2mem.ledger.episode import Episode
from text2mem.providers.base import Provider

Span = tuple[int, int]
__all__ = ["extract", "stating"]

_QUOTED = re.compile('"[^"\\n]*"|“[^”\\n]*”|「[^」\\n]*」|`[^`\\n]*`')
_GAP = re.compile(r"\s{200}")
"""What is laid out with so many blanks is no statement, and costs the tables of phrasings much."""
_MOST = 4_000
"""How many characters of a text are read: longer ones are documents, not statements."""


def extract(
    episode: Episode,
    known: Known,
    provider: Provider | None = None,
    *,
    embedder: Embedder | None = None,
    seed: int = 0,
) -> Reading:
    """What an episode says is so. Without a provider, what code reads.

    Raises the errors of services that are down (``text2mem.errors.ServiceError``); what a model
    answers badly is counted and dropped.
    """
    if episode.role == "assistant":
        return Reading(nothing="assistant")
    if episode.message.structured is not None:
        from text2mem.ledger.extraction import structured

        return structured.read(episode, known)
    if len(episode.text) > _MOST or _GAP.search(episode.text):
        return Reading(nothing="document")
    episode = _own(episode)
    if provider is not None and provider.profile.reads:
        from text2mem.ledger import statements

        return statements.read(episode, known, provider, embedder=embedder, seed=seed)
    reading, left_open, _ = _read(episode, known)
    if provider is None or not left_open:
        return reading
    from text2mem.ledger.extraction import model

    return model.complete(episode, known, reading, left_open, provider, seed=seed)


def stating(episode: Episode, known: Known) -> tuple[Span, ...]:
    """Where a text states something, whether code can read what or not.

    A text that is too long to be read is one statement.
    """
    if len(episode.text) > _MOST or _GAP.search(episode.text):
        return ((0, len(episode.text)),)
    episode = _own(episode)
    reading, left_open, chinese = _read(episode, known)
    read = tuple(candidate.quote for candidate in reading.candidates)
    return (*read, *_unread(episode, reading, left_open, chinese=chinese))


def _own(episode: Episode) -> Episode:
    """An episode without the texts that it quotes or passes on: they are nobody's word."""
    text = without_given(episode.text)
    if text == episode.text:
        return episode
    return replace(episode, message=replace(episode.message, text=text))


def _unread(
    episode: Episode, reading: Reading, left_open: Sequence[Span], *, chinese: bool
) -> tuple[Span, ...]:
    from text2mem.ledger.extraction import unread  # only who needs it pays for it

    if chinese:
        return tuple(unread.of_chinese(episode, reading))
    return tuple(unread.of_english(episode, reading, left_open))


def _read(episode: Episode, known: Known) -> tuple[Reading, Sequence[Span], bool]:
    """By the tables of the language that a text is written in, quotations apart.

    With it come the clauses that are left open, from where to where, and whether it is Chinese.
    """
    if HAN.search(_QUOTED.sub("", episode.text)):
        from text2mem.ledger.extraction import chinese

        return chinese.read(episode, known), (), True
    from text2mem.ledger.extraction import english

    parsed = english.parse(episode, known)
    return parsed.reading, parsed.open, False
