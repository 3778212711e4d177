"""Chinese: candidates out of a text by tables of phrasings (docs/typed-memory.md)."""

from __future__ import annotations

from text2mem.ledger.candidate import Known, Reading
from text2mem.ledger.episode import Episode
from text2mem.ledger.extraction.chinese.reading import read_turn

__all__ = ["read"]


def read(episode: Episode, known: Known) -> Reading:
    """What a Chinese text says is so, sentence by sentence."""
    return read_turn(episode, known)
