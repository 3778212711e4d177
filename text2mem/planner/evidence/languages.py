"""The languages that evidence is read in: all tables of each, loaded when a text needs them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from text2mem.ir.segment import HAN
from text2mem.planner.evidence.clauses import Connectors
from text2mem.planner.evidence.recurrences import Grammar, read_recurrences, single
from text2mem.planner.evidence.rows import Row, read_rows
from text2mem.planner.evidence.tags import FacetWords, TagWords, read_facets, read_tags
from text2mem.planner.evidence.text import Span, Text
from text2mem.planner.evidence.times import Clock, Found

_LATIN = re.compile("[a-z0-9]")


@dataclass(frozen=True, slots=True)
class Language:
    """How one language says each family of things."""

    tags: TagWords
    facets: FacetWords
    rows: tuple[Row, ...]
    grammar: Grammar
    read_times: Callable[[Text, Clock], Iterator[Found]]
    connectors: Connectors

    def names(self, text: Text) -> Iterator[Found]:
        """Tags and facets."""
        yield from read_facets(text, self.facets)
        yield from read_tags(text, self.tags)

    def said(self, text: Text) -> Iterator[Found]:
        """Amounts, flags and what else stands in tables."""
        return read_rows(text, self.rows)

    def times(self, text: Text, clock: Clock) -> Iterator[Found]:
        """Every time; what recurs is read first, and what is left after it."""
        again = list(read_recurrences(text, clock, self.grammar))
        rest = text.without(Span(one.start, one.end) for one in again)
        times = list(self.read_times(rest, clock))
        yield from (*again, *times, *single(rest, clock, self.grammar, times))


def languages_of(plain: str) -> tuple[Language, ...]:
    """The languages that a folded text is written in; Chinese first, which leaves no blanks."""
    chinese = (_load_chinese(),) if HAN.search(plain) else ()
    return (*chinese, _load_english()) if _LATIN.search(plain) else chinese


@cache
def _load_english() -> Language:
    from text2mem.planner.evidence.amounts_en import ENGLISH_AMOUNTS
    from text2mem.planner.evidence.clauses_en import ENGLISH as CONNECTORS
    from text2mem.planner.evidence.flags_en import ENGLISH_FLAGS
    from text2mem.planner.evidence.recurrences_en import ENGLISH
    from text2mem.planner.evidence.speech_en import ENGLISH_SPEECH
    from text2mem.planner.evidence.tags_en import ENGLISH_FACETS, ENGLISH_TAGS
    from text2mem.planner.evidence.times_english import read_english

    rows = (*ENGLISH_AMOUNTS, *ENGLISH_FLAGS, *ENGLISH_SPEECH)
    return Language(ENGLISH_TAGS, ENGLISH_FACETS, rows, ENGLISH, read_english, CONNECTORS)


@cache
def _load_chinese() -> Language:
    from text2mem.planner.evidence.amounts_zh import CHINESE_AMOUNTS
    from text2mem.planner.evidence.clauses_zh import CHINESE as CONNECTORS
    from text2mem.planner.evidence.flags_zh import CHINESE_FLAGS
    from text2mem.planner.evidence.recurrences_zh import CHINESE
    from text2mem.planner.evidence.speech_zh import CHINESE_SPEECH
    from text2mem.planner.evidence.tags_zh import CHINESE_FACETS, CHINESE_TAGS
    from text2mem.planner.evidence.times_chinese import read_chinese

    rows = (*CHINESE_AMOUNTS, *CHINESE_FLAGS, *CHINESE_SPEECH)
    return Language(CHINESE_TAGS, CHINESE_FACETS, rows, CHINESE, read_chinese, CONNECTORS)
