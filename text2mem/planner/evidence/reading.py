"""From an utterance to its evidence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime, tzinfo

from text2mem.planner.evidence.model import Clause, Evidence, Mention
from text2mem.planner.evidence.quotes import quotations, quoted
from text2mem.planner.evidence.text import Span, Text, fold
from text2mem.planner.evidence.times import Clock, Found

_LATIN, _CHINESE = re.compile("[a-z0-9]"), re.compile("[\u3400-\u9fff]")


def read_evidence(utterance: str, *, now: datetime, tz: tzinfo) -> Evidence:
    """What ``utterance`` says; ``now`` is aware, naive times and days are read in ``tz``."""
    text, clock = as_text(utterance), Clock(now, tz)
    found = [text.mention("quote", one.value, one.start, one.end) for one in text.quotations]
    found += [mention for one in _times(text, clock) for mention in one.mentions(text)]
    ordered = sorted(found, key=lambda one: (one.start, one.end, one.kind))
    return Evidence(utterance, tuple(ordered), (Clause(0, len(utterance), utterance),))


def as_text(utterance: str) -> Text:
    """The utterance with its quotations and contents masked."""
    from text2mem.planner.evidence.content import with_contents

    plain = fold(utterance)
    found = quotations(utterance)
    shown = quoted(plain, found)
    return with_contents(Text(utterance, plain, shown, shown, found))


def _times(text: Text, clock: Clock) -> Iterator[Found]:
    """Every time and recurrence that is said; what recurs is read first, what is left after it."""
    # Imported here: each language brings some hundred kilobytes of patterns.
    if _CHINESE.search(text.open):
        from text2mem.planner.evidence.recurrences import read_recurrences, single
        from text2mem.planner.evidence.recurrences_zh import CHINESE
        from text2mem.planner.evidence.times_chinese import read_chinese

        again = list(read_recurrences(text, clock, CHINESE))
        text = _without(text, again)
        times = list(read_chinese(text, clock))
        yield from (*again, *times, *single(text, clock, CHINESE, times))
        text = _without(text, times)
    if _LATIN.search(text.open):
        from text2mem.planner.evidence.recurrences import read_recurrences, single
        from text2mem.planner.evidence.recurrences_en import ENGLISH
        from text2mem.planner.evidence.times_english import read_english

        again = list(read_recurrences(text, clock, ENGLISH))
        text = _without(text, again)
        times = list(read_english(text, clock))
        yield from (*again, *times, *single(text, clock, ENGLISH, times))


def _without(text: Text, found: Iterable[Found]) -> Text:
    return text.without(Span(one.start, one.end) for one in found)
