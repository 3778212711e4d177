"""What an English text says is so, by tables of phrasings."""

from __future__ import annotations

from text2mem.ledger.candidate import Known, Reading
from text2mem.ledger.episode import Episode
from text2mem.ledger.extraction.english.reader import Parsed, parse

__all__ = ["Parsed", "parse", "read"]


def read(episode: Episode, known: Known) -> Reading:
    """The candidates of an English text that is not an assistant's."""
    return parse(episode, known).reading
