"""Which memories a phrase means, and whether there are any at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any

from text2mem.ir.ops import ByFilter
from text2mem.ir.ports import StoreView
from text2mem.ir.record import Record
from text2mem.ir.segment import search_text
from text2mem.planner.grounding.links import Link, link
from text2mem.planner.grounding.picture import Picture, found, widened
from text2mem.planner.grounding.words import Word, content_words, pairs, stems

Selector = Mapping[str, Any]
LEAST = 0.34
"""The share of a phrase's weight that a memory has to hold to be meant."""
NEAR = 0.75
"""The share of the best memory's score from which others are meant with it."""
WEAK_WEIGHT = 0.3


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way to select what a phrase may mean: the surface form of a target, and what it hits."""

    selector: Selector
    records: tuple[Record, ...]
    confidence: float


@dataclass(frozen=True, slots=True)
class Reading:
    """What a phrase means; ``selector`` None where the store holds nothing of it.

    ``confidence`` is in [0, 1]. ``alternatives`` are other readings, the likeliest first.
    """

    selector: Selector | None = None
    records: tuple[Record, ...] = ()
    confidence: float = 0.0
    alternatives: tuple[Alternative, ...] = ()

    def __bool__(self) -> bool:
        return self.selector is not None


NOTHING = Reading()


def mean(
    phrase: str,
    view: StoreView,
    picture: Picture,
    *,
    vector: tuple[float, ...] | None = None,
) -> Reading:
    """The memories that a phrase means, by what it names, by shared tags and by its words."""
    words = content_words(phrase)
    hits = found(phrase, view, vector=vector)
    rows = [hit.record for hit in hits]
    scores = covered(words, rows, max(picture.vocabulary.total, len(rows)))
    best = max(scores.values(), default=0.0)
    if best < LEAST:
        return NOTHING
    meant = tuple(row for row in rows if scores[row.id] >= max(LEAST, NEAR * best))
    alternatives = list(_filters(phrase, meant, scores, view, picture))
    exact = [each for each in alternatives if set(_ids(each.records)) == set(_ids(meant))]
    by_ids = Alternative({"ids": _ids(meant)}, meant, best)
    first, *others = [*exact, by_ids, *(each for each in alternatives if each not in exact)]
    return Reading(first.selector, first.records, first.confidence, tuple(others))


def covered(words: Sequence[Word], rows: Sequence[Record], total: int) -> dict[str, float]:
    """How much of a phrase's weight each memory holds, from 0 to 1, by id.

    A word weighs by its rarity (IDF); one that no memory holds weighs as much as the rarest.
    Without a strong word a memory holds nothing.
    """
    texts = {row.id: search_text(row).casefold() for row in rows}
    held = {id_: set(stems(text)) for id_, text in texts.items()}
    units = [
        (word, part)
        for word in words
        for part in (pairs(word.text.casefold()) if word.han else [word.stem])
    ]
    has = {
        id_: [part in texts[id_] if word.han else part in held[id_] for word, part in units]
        for id_ in texts
    }
    weights = []
    for place, (word, part) in enumerate(units):
        count = sum(flags[place] for flags in has.values())
        rarity = log(1 + (total - count + 0.5) / (count + 0.5))
        share = 1 / len(pairs(word.text)) if word.han and len(word.text) > 2 else 1.0
        weights.append(rarity * share * (WEAK_WEIGHT if word.weak else 1.0))
    whole = sum(weights)
    strong = [not word.weak for word, _ in units]
    return {
        id_: sum(w for w, f in zip(weights, flags, strict=True) if f) / whole
        if whole and any(f and s for f, s in zip(flags, strong, strict=True))
        else 0.0
        for id_, flags in has.items()
    }


def _filters(
    phrase: str,
    meant: Sequence[Record],
    scores: Mapping[str, float],
    view: StoreView,
    picture: Picture,
) -> Iterable[Alternative]:
    """Filters by what the phrase names, and by the tags that all meant memories share."""
    named = [each for each in link(phrase, widened(picture.vocabulary, meant)) if each.whole]
    shared = set(meant[0].tags).intersection(*(row.tags for row in meant))
    wanted: list[Selector] = [
        *_named(named),
        *({"has_tags": [tag]} for tag in meant[0].tags if tag in shared),
    ]
    for conditions in wanted:
        records = tuple(view.select(_filter(conditions)))
        if records:
            mean_score = sum(scores.get(row.id, 0.0) for row in records) / len(records)
            yield Alternative({"filter": conditions}, records, round(mean_score, 3))


def _named(named: Sequence[Link]) -> Iterable[Selector]:
    tags = list(dict.fromkeys(each.value for each in named if each.field == "has_tags"))
    if tags:
        yield {"has_tags": tags}
    if len(tags) > 1:
        yield from ({"has_tags": [tag]} for tag in tags)
    for each in named:
        if each.field not in ("has_tags", "facets"):
            yield {each.field: each.value}


def _filter(conditions: Selector) -> ByFilter:
    return ByFilter(**{k: tuple(v) if isinstance(v, list) else v for k, v in conditions.items()})


def _ids(rows: Iterable[Record]) -> list[str]:
    return [row.id for row in rows]
