"""From an utterance to its evidence."""

from __future__ import annotations

from datetime import datetime, tzinfo

from text2mem.planner.evidence.content import with_contents
from text2mem.planner.evidence.model import Clause, Evidence, Mention
from text2mem.planner.evidence.quotes import quotations, quoted
from text2mem.planner.evidence.text import Text, fold


def read_evidence(utterance: str, *, now: datetime, tz: tzinfo) -> Evidence:
    """What ``utterance`` says; ``now`` is aware, naive times and days are read in ``tz``."""
    text = as_text(utterance)
    found = [text.mention("quote", one.value, one.start, one.end) for one in text.quotations]
    return Evidence(utterance, tuple(found), (Clause(0, len(utterance), utterance),))


def as_text(utterance: str) -> Text:
    """The utterance with its quotations and contents masked."""
    plain = fold(utterance)
    found = quotations(utterance)
    shown = quoted(plain, found)
    return with_contents(Text(utterance, plain, shown, shown, found))
