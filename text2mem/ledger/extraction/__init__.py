"""Extraction: typed candidates out of an episode (docs/typed-memory.md).

What an assistant says yields nothing. Structured messages are read field by field, by code; a text
by the model that reads conversations (docs/statements.md), and by nothing else.
"""

from __future__ import annotations

import re
from dataclasses import replace

from text2mem.errors import Text2MemError
from text2mem.ir.ports import Embedder
from text2mem.ir.words.given import without_given
from text2mem.ledger.candidate import Reading
from text2mem.ledger.episode import Episode
from text2mem.ledger.known import Known
from text2mem.providers.base import Provider

__all__ = ["NoReader", "extract"]

_GAP = re.compile(r"\s{200}")
"""What is laid out with so many blanks is no statement."""
_MOST = 4_000
"""How many characters of a text are read: longer ones are documents, not statements."""


class NoReader(Text2MemError):
    """There is a text to read, and no model that reads conversations."""

    def __init__(self) -> None:
        super().__init__(
            "no model is there that reads what is said",
            hint="name one that reads conversations, such as local:qwen2.5-coder-0.5b",
        )


def extract(
    episode: Episode,
    known: Known,
    provider: Provider | None = None,
    *,
    embedder: Embedder | None = None,
) -> Reading:
    """The candidates that an episode states.

    Raises NoReader for a text where the provider is none that reads conversations, and the errors
    of services that are down (``text2mem.errors.ServiceError``); what a model answers badly is
    counted and dropped.
    """
    if episode.role == "assistant":
        return Reading(nothing="assistant")
    if episode.message.structured is not None:
        from text2mem.ledger.extraction import structured

        return structured.read(episode, known)
    if len(episode.text) > _MOST or _GAP.search(episode.text):
        return Reading(nothing="document")
    if provider is None or not provider.profile.reads:
        raise NoReader
    from text2mem.ledger import statements

    return statements.read(_own(episode), known, provider, embedder=embedder)


def _own(episode: Episode) -> Episode:
    """An episode without the texts that it quotes or passes on: the speaker does not state them."""
    text = without_given(episode.text)
    if text == episode.text:
        return episode
    return replace(episode, message=replace(episode.message, text=text))
