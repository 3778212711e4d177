"""Extraction: typed candidates out of an episode (docs/typed-memory.md).

What an assistant says yields nothing. Structured messages are read field by field, a text by the
tables of its language. A model is asked only of clauses that code has left open, and chooses among
what code has found.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from text2mem.ledger.candidate import Known, Reading
from text2mem.ledger.episode import Episode
from text2mem.providers.base import Provider

__all__ = ["extract"]

_CHINESE = re.compile("[\u3400-\u9fff]")
_QUOTED = re.compile('"[^"\\n]*"|“[^”\\n]*”|「[^」\\n]*」|`[^`\\n]*`')
_GAP = re.compile(r"\s{200}")
"""What is laid out with so many blanks is no statement, and costs the tables of phrasings much."""
_MOST = 4_000
"""How many characters of a text are read: longer ones are documents, not statements."""


def extract(
    episode: Episode, known: Known, provider: Provider | None = None, *, seed: int = 0
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
    reading, left_open = _read(episode, known)
    if provider is None or not left_open:
        return reading
    from text2mem.ledger.extraction import model  # only a question to a model pays for it

    return model.complete(episode, known, reading, left_open, provider, seed=seed)


def _read(episode: Episode, known: Known) -> tuple[Reading, Sequence[tuple[int, int]]]:
    """By the tables of the language that a text is written in, quotations apart.

    With it come the clauses that state something which no table reads: from where to where.
    """
    if _CHINESE.search(_QUOTED.sub("", episode.text)):
        from text2mem.ledger.extraction import chinese

        reading = chinese.read(episode, known)
        unread = not reading.candidates and reading.nothing is None
        return reading, ((0, len(episode.text)),) if unread else ()
    from text2mem.ledger.extraction import english

    parsed = english.parse(episode, known)
    return parsed.reading, parsed.open
