"""Which memories a phrase means, and whether there are any at all.

A phrase that names a tag, a subject, a place or another field means the memories that have most of
what it names; otherwise it means those that cover nearly as much of it as the best one does. A
phrase that no memory covers far enough means nothing: nobody guesses.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from text2mem.ir.ops import ByFilter
from text2mem.ir.ports import StoreView
from text2mem.ir.record import Record
from text2mem.ir.values import as_text
from text2mem.planner.grounding.coverage import Coverage, coverage
from text2mem.planner.grounding.links import PLURAL, Link, link
from text2mem.planner.grounding.picture import Picture, found, widened
from text2mem.planner.grounding.words import content_words

LEAST = 0.5
"""How much of a phrase a memory has to cover to be meant by its words alone."""
LEAST_NAMED = 0.2
"""How much where the phrase names the memory's tag, subject, location, topic or attribute."""
NEAR = 0.85
"""How much of what the best memory covers another one has to cover to be meant with it."""
RECENT = 64
"""How many of the newest memories are looked at beside those that a search finds."""

Surface = Mapping[str, Any]
_SINGLE = ("type", "subject", "location", "topic", "attribute")
_NAMING = frozenset({"has_tags", "subject", "location", "topic", "attribute"})


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way to select what a phrase may mean: the surface form of a target, and what it hits.

    ``why``: the phrase "named" it, its memories have a tag that is "shared" by all that are meant,
    they hold its "words", or they are "similar" by their vectors alone.
    """

    selector: Surface
    records: tuple[Record, ...]
    confidence: float
    why: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What a phrase means; ``selector`` None where the store holds nothing of it.

    ``confidence`` is in [0, 1]: how much of the phrase the best of its memories covers.
    ``alternatives`` select other memories, or the same ones in other ways, the likeliest first;
    there may be some where there is no selector.
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
) -> Reading:
    """The memories that a phrase means: those that it names, else those that hold its words.

    Those that are only similar by the phrase's ``vector`` are an alternative and no reading: they
    were measured to be wrong more often than right.
    """
    hits = found(phrase, view, vector=vector, include=picture.include)
    rows = {row.id: row for row in (*view.recent(RECENT), *(hit.record for hit in hits))}
    vocabulary = widened(picture.vocabulary, rows.values())
    named = [each for each in link(phrase, vocabulary) if each.whole]
    for each in named:
        rows |= {row.id: row for row in view.select(_filter([each], rows.values(), picture))}
    total = max(picture.vocabulary.total, len(rows))
    covering = coverage(content_words(phrase), list(rows.values()), total)
    if not _is_there(covering, rows.values(), named):
        similar = tuple(hit.record for hit in hits if not hit.lexical)
        return Reading(alternatives=(_by_ids(similar, "similar"),) if similar else ())
    enough = NEAR * covering.best
    near = [row for id_, row in rows.items() if covering.shares[id_] >= enough]
    counts = {id_: _named_by(row, named) for id_, row in rows.items() if covering.shares[id_]}
    most = max(counts.values())
    meant = [rows[id_] for id_, count in counts.items() if count == most]
    if not most or not any(row in near for row in meant):
        meant = near
    options = _options(_ordered(meant), _ordered(near), named, view, picture)
    judged = [replace(each, confidence=_average(each.records, covering)) for each in options]
    ids = {row.id for row in meant}
    exact = [each for each in judged if {row.id for row in each.records} == ids]
    first = next(each for each in exact if each.why != "shared")
    others = [each for each in exact if each is not first]
    others += [each for each in judged if each not in exact]
    best = max(covering.shares[id_] for id_ in ids)
    return Reading(first.selector, first.records, round(best, 3), tuple(others))


def _is_there(covering: Coverage, rows: Iterable[Record], named: Sequence[Link]) -> bool:
    """Whether any memory covers the phrase far enough."""
    if covering.best >= LEAST and not (covering.slight and not named):
        return True
    sure = [each for each in named if each.field in _NAMING and each.score >= PLURAL]
    return any(covering.shares[row.id] >= LEAST_NAMED and _named_by(row, sure) for row in rows)


def _named_by(row: Record, named: Iterable[Link]) -> int:
    """How many characters of the phrase name something that a memory has."""
    return len(
        {place for each in named if _has(row, each) for place in range(each.start, each.end)}
    )


def _has(row: Record, named: Link) -> bool:
    if named.field == "has_tags":
        return named.value in row.tags
    if named.field == "facets":
        return named.value in row.facets and as_text(row.facets[named.value]) == named.extra
    return bool(getattr(row, named.field) == named.value)


# --- ways to select ------------------------------------------------------------------------


def _options(
    meant: tuple[Record, ...], near: tuple[Record, ...],
    named: Sequence[Link], view: StoreView, picture: Picture,
) -> list[Alternative]:  # fmt: skip
    """What was named, the memories themselves, those with a tag of all of them, the nearest."""
    options = []
    held = [each for each in named if all(_has(row, each) for row in meant)]
    if held:
        wanted = _filter(held, meant, picture)
        options.append(Alternative(_surface(wanted), tuple(view.select(wanted)), 0.0, "named"))
    options.append(_by_ids(meant, "words"))
    for tag in meant[0].tags:
        if all(tag in row.tags for row in meant):
            wanted = ByFilter(has_tags=(tag,), include=tuple(picture.include))
            alternative = Alternative(_surface(wanted), tuple(view.select(wanted)), 0.0, "shared")
            options += (
                [] if any(o.selector == alternative.selector for o in options) else [alternative]
            )
    if near != meant:
        options.append(_by_ids(near, "words"))
    return options


def _by_ids(rows: tuple[Record, ...], why: str) -> Alternative:
    return Alternative({"ids": [row.id for row in rows]}, rows, 0.0, why)


def _filter(named: Sequence[Link], rows: Iterable[Record], picture: Picture) -> ByFilter:
    """The filter of all that is named; ``rows`` know the values behind the texts of facets."""
    wanted = ByFilter(include=tuple(picture.include))
    for each in named:
        if each.field == "has_tags":
            wanted = replace(wanted, has_tags=(*wanted.has_tags, each.value))
        elif each.field == "facets":
            value = next((row.facets[each.value] for row in rows if _has(row, each)), each.extra)
            wanted = replace(wanted, facets={**wanted.facets, each.value: value})
        else:
            field: dict[str, Any] = {each.field: each.value}
            wanted = replace(wanted, **field)
    return wanted


def _surface(wanted: ByFilter) -> Surface:
    conditions: dict[str, Any] = {
        name: value for name in _SINGLE if (value := getattr(wanted, name)) is not None
    }
    if wanted.has_tags:
        conditions["has_tags"] = list(wanted.has_tags)
    if wanted.facets:
        conditions["facets"] = dict(wanted.facets)
    if wanted.include:
        conditions["include"] = list(wanted.include)
    return {"filter": conditions}


def _ordered(rows: Iterable[Record]) -> tuple[Record, ...]:
    """Newest first, then by id: the order of a filter's memories."""
    return tuple(sorted(rows, key=lambda row: (-row.when.timestamp(), int(row.id))))


def _average(rows: Sequence[Record], covering: Coverage) -> float:
    """How much of the phrase these memories cover on average."""
    return round(sum(covering.shares.get(row.id, 0.0) for row in rows) / max(len(rows), 1), 3)
