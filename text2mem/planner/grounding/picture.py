"""What a store looks like from an utterance: its vocabulary, what is named of it, candidates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from text2mem.ir.ops import ByFilter
from text2mem.ir.ports import Hidden, Hit, StoreView, Vocabulary
from text2mem.ir.record import Record
from text2mem.ir.temporal import format_instant
from text2mem.planner.grounding.links import Link, link
from text2mem.planner.grounding.words import Word, content_words, variants

TAGS = 64
CANDIDATES = 8
POOL = 64
"""How many hits a search for candidates looks at."""
SNIPPET = 80
_WORDS = 24
"""With how many words of an utterance a search is made."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that the utterance may speak of.

    ``snippet`` is one line of at most 80 characters, ``time`` an instant in the stored form,
    ``score`` its share of the best one's.
    """

    id: str
    snippet: str
    tags: tuple[str, ...]
    time: str
    score: float


@dataclass(frozen=True, slots=True)
class Picture:
    """What of the store an utterance may speak of.

    ``tags`` are the best 64, the best first; ``include`` is what was seen beside what a read sees.
    """

    vocabulary: Vocabulary
    links: tuple[Link, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    tags: tuple[str, ...] = ()
    include: tuple[Literal["archived", "deleted"], ...] = ()


def ground(
    utterance: str,
    view: StoreView,
    *,
    vector: tuple[float, ...] | None = None,
    window: ByFilter | None = None,
    include: Hidden = (),
) -> Picture:
    """The picture for an utterance. ``vector`` is its own; candidates meet ``window``."""
    vocabulary = view.vocabulary(include=include)
    hits = found(utterance, view, vector=vector, include=include)
    if window is not None:
        inside = {row.id for row in view.select(window)}
        hits = [hit for hit in hits if hit.record.id in inside]
    links = link(utterance, widened(vocabulary, (hit.record for hit in hits)))
    best = hits[:CANDIDATES]
    named = [
        each.value for each in sorted(links, key=lambda x: -x.score) if each.field == "has_tags"
    ]
    near = [tag for hit in best for tag in hit.record.tags]
    tags = tuple(dict.fromkeys([*named, *near, *vocabulary.tags]))[:TAGS]
    return Picture(vocabulary, links, tuple(map(_candidate, best)), tags, tuple(include))


def found(
    text: str,
    view: StoreView,
    *,
    vector: tuple[float, ...] | None = None,
    include: Hidden = (),
) -> Sequence[Hit]:
    """What a search for the content words of a text finds, in any of their forms."""
    query = " ".join(spelt(content_words(text)))
    if not query:
        return []
    return view.search(query, vector=vector, limit=POOL, include=include, floor=False)


def spelt(words: Iterable[Word]) -> list[str]:
    """Words as an index may spell them; the strong ones first where they are many."""
    strongest = sorted(words, key=lambda word: word.weak)[:_WORDS]
    return [form for word in strongest for form in variants(word)]


def widened(vocabulary: Vocabulary, records: Iterable[Record]) -> Vocabulary:
    """A vocabulary and what the memories found have, which a large store's may lack."""
    rows = list(records)

    def more(known: tuple[str, ...], values: Iterable[str | None]) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*known, *(value for value in values if value)]))

    return replace(
        vocabulary,
        tags=more(vocabulary.tags, (tag for row in rows for tag in row.tags)),
        types=more(vocabulary.types, (row.type for row in rows)),
        subjects=more(vocabulary.subjects, (row.subject for row in rows)),
        locations=more(vocabulary.locations, (row.location for row in rows)),
        topics=more(vocabulary.topics, (row.topic for row in rows)),
        attributes=more(vocabulary.attributes, (row.attribute for row in rows)),
    )


def snippet(text: str, length: int = SNIPPET) -> str:
    """The beginning of a text as one line."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def _candidate(hit: Hit) -> Candidate:
    row = hit.record
    return Candidate(
        row.id, snippet(row.text), row.tags, format_instant(row.when), round(hit.score, 3)
    )
