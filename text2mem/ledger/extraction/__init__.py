"""Extract typed candidates from an episode (docs/typed-memory.md).

Code reads a structured message field by field. A text is read by the model that reads conversations
(docs/statements.md), and only by it. Messages of an assistant yield nothing.
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

_GAP = re.compile(r"\s{200}")
"""A text with so many blanks in a row is a document."""
_MOST = 4_000
"""The most characters of a text that is read. A longer one is a document."""


class NoReader(Text2MemError):
    """There is no model that reads conversations, which a text needs."""

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
    """Read the candidates that an episode states. Raise NoReader for a text if the provider does
    not read conversations, and ``text2mem.errors.ServiceError`` if it is down."""
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

    # The speaker does not state what a text that they quote or forward says.
    own_words = replace(episode.message, text=without_given(episode.text))
    return statements.read(replace(episode, message=own_words), known, provider, embedder=embedder)
