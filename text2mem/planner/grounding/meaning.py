"""Which memories a phrase means, and whether there are any at all.

A memory is meant as far as it covers the phrase: the share of the weight of the phrase's words that
it holds, in its text, its tags or its other fields. What the phrase names (a tag, a subject, a
place) says which memories belong together; without a name, those that cover nearly as much as the
best one do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log
from typing import Any

from text2mem.ir.ops import ByFilter
from text2mem.ir.ports import Hidden, StoreView
from text2mem.ir.record import Record
from text2mem.ir.segment import search_text
from text2mem.planner.grounding.links import Link, link
from text2mem.planner.grounding.picture import Picture, found, widened
from text2mem.planner.grounding.words import Word, content_words, pairs, stems

LEAST = 0.4
"""How much of a phrase a memory has to cover to be meant by its words alone."""
LEAST_NAMED = 0.2
"""How much where the phrase names a tag or another field of it."""
NEAR = 0.75
"""How much of what the best memory covers another one has to cover to be meant with it."""
PRIOR = 30
"""Memories that are imagined beside those of the store, so that one of few is not common."""
WEAK_WEIGHT = 0.3
WEAK_UNSEEN = 0.15
UNSEEN = 1.0
SURE = frozenset({"has_tags", "subject", "location", "topic", "attribute"})
SURE_SCORE = 0.9
SPANS = frozenset({"has_tags", "subject", "location", "topic", "attribute", "type", "facets"})
SPAN_WEAK = 1.0
SEARCH_LIMIT = 10

Surface = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way to select what a phrase may mean: the surface form of a target, and what it hits.

    ``why``: the phrase names it, its memories share a tag, or they hold the phrase's words.
    """

    selector: Surface
    records: tuple[Record, ...]
    confidence: float
    why: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What a phrase means; ``selector`` None where the store holds nothing of it.

    ``confidence`` is in [0, 1]: how much of the phrase its best memory covers. ``alternatives``
    select other memories, or the same ones in other ways; the likeliest come first.
    """

    selector: Surface | None = None
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
    include: Hidden = (),
) -> Reading:
    """The memories that a phrase means: those that it names, else those that hold its words.

    With a ``vector`` of the phrase and a store of vectors, memories that are similar enough are
    meant where no words are found.
    """
    words = content_words(phrase)
    hits = found(phrase, view, vector=vector, include=include)
    vocabulary = widened(picture.vocabulary, (hit.record for hit in hits))
    named = [each for each in link(phrase, vocabulary) if each.whole]
    rows = {hit.record.id: hit.record for hit in hits}
    for each in named:
        rows |= {row.id: row for row in view.select(_filter([each], include))}
    covering = covered(words, list(rows.values()), max(picture.vocabulary.total, len(rows)))
    best = max(covering.values(), default=0.0)
    spans = {id_: _spanned(row, named) for id_, row in rows.items()}
    most = max((spans[id_] for id_ in rows if covering[id_] > 0), default=0)
    sure = [each for each in named if each.field in SURE and each.score >= SURE_SCORE]
    named_best = max((covering[i] for i, row in rows.items() if _spanned(row, sure)), default=0.0)
    if best < LEAST and named_best < LEAST_NAMED:
        similar = tuple(hit.record for hit in hits if not hit.lexical)
        return _similar(similar) if similar else NOTHING
    near = [row for id_, row in rows.items() if covering[id_] >= NEAR * best]
    meant = near
    if most:
        together = [row for id_, row in rows.items() if spans[id_] == most and covering[id_] > 0]
        if any(row in near for row in together):
            meant = together
    return _reading(phrase, meant, near, covering, named, view, include)


def covered(words: Sequence[Word], rows: Sequence[Record], total: int) -> dict[str, float]:
    """How much of a phrase's words each memory holds, from 0 to 1, by id.

    A word weighs by its rarity (IDF) among ``total`` memories; one that no memory holds weighs as
    much as one that a single memory holds. Weak words weigh little, and nothing where no memory
    holds them; a memory that holds no strong word of a phrase that has some covers nothing.
    """
    units = [unit for word in words for unit in _units(word)]
    texts = {row.id: haystack(row) for row in rows}
    held = {id_: frozenset(stems(text)) for id_, text in texts.items()}
    has = {
        id_: [part in (texts[id_] if han else held[id_]) for part, han, _, _ in units]
        for id_ in texts
    }
    weights = []
    strong = any(not weak for _, _, weak, _ in units)
    for place, (_, _, weak, share) in enumerate(units):
        count = sum(flags[place] for flags in has.values())
        rarity = log(1 + (total + PRIOR - max(count, 1) + 0.5) / (max(count, 1) + 0.5))
        factor = (WEAK_WEIGHT if count else WEAK_UNSEEN) if weak and strong else 1.0
        weights.append(rarity * share * factor * (1.0 if count else UNSEEN))
    whole = sum(weights)
    return {
        id_: sum(weight for weight, flag in zip(weights, flags, strict=True) if flag) / whole
        if whole and (not strong or any(f and not u[2] for f, u in zip(flags, units, strict=True)))
        else 0.0
        for id_, flags in has.items()
    }


def haystack(row: Record) -> str:
    """Everything by which a memory can be meant, in lower case."""
    facets = [value for value in row.facets.values() if isinstance(value, str)]
    return " ".join([search_text(row), *facets, row.attribute or ""]).casefold().replace("_", " ")


def _units(word: Word) -> list[tuple[str, bool, bool, float]]:
    """What is looked for of a word, whether it is Chinese, weak, and its share of the weight."""
    if not word.han:
        return [(word.stem, False, word.weak, 1.0)]
    parts = pairs(word.text)
    return [(part, True, word.weak, len(word.text) / 2 / len(parts)) for part in parts]


def _spanned(row: Record, named: Iterable[Link]) -> float:
    """How many characters of the phrase name something that a memory has."""
    places: dict[int, float] = {}
    for each in named:
        if each.field in SPANS and _has(row, each):
            weight = 1.0 if each.score > 0.7 else SPAN_WEAK
            for place in range(each.start, each.end):
                places[place] = max(places.get(place, 0), weight)
    return sum(places.values())


def _has(row: Record, named: Link) -> bool:
    if named.field == "has_tags":
        return named.value in row.tags
    if named.field == "facets":
        return _same_text(row.facets.get(named.value), named.extra)
    return bool(getattr(row, named.field) == named.value)


def _same_text(value: Any, text: str) -> bool:
    return value == text


def _reading(
    phrase: str, meant: Sequence[Record], near: Sequence[Record], covering: Mapping[str, float],
    named: Sequence[Link], view: StoreView, include: Hidden,
) -> Reading:  # fmt: skip
    best = max(covering[row.id] for row in meant)
    ids = {"ids": [row.id for row in meant]}
    options = []
    held = [each for each in named if all(_has(row, each) for row in meant)]
    if held:
        options.append((_surface(held), tuple(view.select(_filter(held, include))), "named"))
    options.append((ids, tuple(meant), "words"))
    shared = [tag for tag in meant[0].tags if all(tag in row.tags for row in meant)]
    for tag in shared:
        rows = tuple(view.select(ByFilter(has_tags=(tag,), include=tuple(include))))
        options.append(({"filter": {"has_tags": [tag]}}, rows, "shared"))
    if [row.id for row in near] != ids["ids"]:
        options.append(({"ids": [row.id for row in near]}, tuple(near), "words"))
    found_ids = {row.id for row in meant}
    exact = [option for option in options if {row.id for row in option[1]} == found_ids]
    others = [option for option in options if option not in exact]
    alternatives = tuple(
        Alternative(selector, rows, round(_mean(covering.get(row.id, 0.0) for row in rows), 3), why)
        for selector, rows, why in [*exact[1:], *others]
    )
    return Reading(exact[0][0], tuple(meant), round(best, 3), alternatives)


def _similar(rows: tuple[Record, ...]) -> Reading:
    return Reading({"ids": [row.id for row in rows]}, rows, LEAST)


def _mean(values: Iterable[float]) -> float:
    held = list(values)
    return sum(held) / len(held) if held else 0.0


def _surface(named: Sequence[Link]) -> Surface:
    conditions: dict[str, Any] = {}
    for each in named:
        if each.field == "has_tags":
            conditions["has_tags"] = [*conditions.get("has_tags", []), each.value]
        elif each.field == "facets":
            conditions["facets"] = {**conditions.get("facets", {}), each.value: each.extra}
        else:
            conditions[each.field] = each.value
    return {"filter": conditions}


def _filter(named: Sequence[Link], include: Hidden) -> ByFilter:
    wanted = ByFilter(include=tuple(include))
    for each in named:
        if each.field == "has_tags":
            wanted = replace(wanted, has_tags=(*wanted.has_tags, each.value))
        elif each.field == "facets":
            wanted = replace(wanted, facets={**wanted.facets, each.value: each.extra})
        else:
            named_so: dict[str, Any] = {each.field: each.value}
            wanted = replace(wanted, **named_so)
    return wanted
