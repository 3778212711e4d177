"""Targets drawn over a synthetic store: a selector, the ids that it means, the parts of its phrase.

What a target means is worked out here, from the store's own memories. Running the program has to
find the same.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from text2mem_bench.generate.language import Language
from text2mem_bench.generate.model import Slot, Target
from text2mem_bench.generate.periods import period
from text2mem_bench.generate.values import say
from text2mem_bench.generate.world import REPORT, Memory, World

FILTER = "target/filter"
Test = Callable[[Memory], bool]


@dataclass(frozen=True, slots=True)
class Draw:
    """What a case is drawn from."""

    rng: random.Random
    world: World
    words: Language

    @property
    def now(self) -> datetime:
        """The instant of the store."""
        return self.world.now

    def slot(self, name: str, pointer: str, value: Any) -> Slot:
        """A slot in words."""
        said, vague = say(self.words, name, value, now=self.now, rng=self.rng)
        return Slot(name, pointer, said, vague)


@dataclass(frozen=True, slots=True)
class Piece:
    """A condition of a filter: what it says, which memories satisfy it, how it is said."""

    condition: Mapping[str, Any]
    test: Test
    slot: Slot


def draw_many(draw: Draw, index: int, *, conditional: bool = False) -> Target | None:
    """Several memories by a filter, but not all of the store; None where the draw came to naught.

    A ``conditional`` target has one condition that can follow an "if".
    """
    rng = draw.rng
    base = rng.choices((_topic, _tag, _tags), (6, 3, 0 if conditional else 1))[0](draw, index)
    pieces = [base]
    kind = None
    more = 1 if conditional else rng.choices((0, 1), (5, 4))[0]
    further = _OF_A_CONDITION if conditional else _FURTHER
    for narrow in rng.sample(further, more):
        pieces.append(narrow(draw, index))
    if not conditional and rng.random() < 0.15:
        pieces = [rng.choice((_subject, _location))(draw, index)]
    elif not conditional and rng.random() < 0.2:
        kind = rng.choice([m.type for m in draw.world.memories if m.type] or [None])
    return _target(draw, pieces, kind, index, condition=pieces[-1].slot.name if conditional else "")


def draw_topic(draw: Draw, index: int, *, apart_from: Sequence[str] = ()) -> Target | None:
    """All memories about a topic, none of those named; None where the draw came to naught."""
    target = _target(draw, [_topic(draw, index)], None, index)
    return None if target is None or set(target.ids) & set(apart_from) else target


def draw_one(draw: Draw, index: int, *, among: Sequence[Memory] = ()) -> tuple[Target, Memory]:
    """One memory by what it is about, found by a search for its words."""
    short = [m for m in draw.world.memories if m.about != m.topic.name]
    memory = draw.rng.choice(among or short)
    slot = draw.slot("about", f"/{index}/target/search/intent/query", memory.about)
    query = slot.said.removeprefix("the ").removeprefix("The ")
    selector = {"search": {"intent": {"query": query}, "limit": 1}}
    noun = draw.words.noun(None, draw.rng)
    return Target(selector, (memory.id,), {"about": slot}, noun, single=True), memory


def draw_report(draw: Draw, index: int) -> Target | None:
    """The one memory that is long enough to be split."""
    report = REPORT[draw.world.content.lang]
    memory = next(m for m in draw.world.memories if report in m.tags)
    tags = [memory.topic.tag, report]
    piece = Piece(
        {"has_tags": tags},
        lambda m: set(tags) <= set(m.tags),
        draw.slot("topic", f"/{index}/{FILTER}/has_tags", memory.topic),
    )
    target = _target(draw, [piece], None, index, whole=True)
    return None if target is None else replace(target, single=True, noun="report")


def draw_all(draw: Draw, index: int) -> Target:
    """Everything in the store."""
    slot = draw.slot("all", f"/{index}/target/all", True)
    ids = tuple(memory.id for memory in draw.world.memories)
    return Target(
        {"all": True}, ids, {"all": slot}, draw.words.noun(None, draw.rng),
        determiner=draw.words.determiner(draw.rng),
    )  # fmt: skip


def draw_latest(draw: Draw, index: int) -> Target | None:
    """The newest few of several memories; None where there are not enough."""
    base = draw_many(draw, index) if draw.rng.random() < 0.4 else draw_topic(draw, index)
    if base is None or len(base.ids) < 2:
        return None
    count = draw.rng.randrange(2 if "type" in base.parts else 1, len(base.ids) + 1)
    if count == len(base.ids):
        return None
    newest = sorted(base.ids, key=lambda id_: (draw.world.memory(id_).time, -int(id_)))
    slot = draw.slot("count", f"/{index}/{FILTER}/limit", count)
    return replace(
        base,
        selector={"filter": {**base.selector["filter"], "limit": count}},
        ids=tuple(newest[-count:]),
        parts={**base.parts, "count": slot},
        single=count == 1,
    )


def draw_search(draw: Draw, index: int) -> Target:
    """What a search for a topic should bring up."""
    topic = draw.rng.choice(draw.world.topics)
    slot = draw.slot("query", f"/{index}/target/search/intent/query", topic)
    ids = tuple(m.id for m in draw.world.memories if m.topic is topic)
    query = topic.name.removeprefix("the ").removeprefix("my ")
    return Target({"search": {"intent": {"query": query}}}, ids, {"query": slot}, "")


# --- conditions ----------------------------------------------------------------------------


def _topic(draw: Draw, index: int) -> Piece:
    topic = draw.rng.choice(draw.world.topics)
    slot = draw.slot("topic", f"/{index}/{FILTER}/has_tags", topic)
    return Piece({"has_tags": [topic.tag]}, lambda m: topic.tag in m.tags, slot)


def _tag(draw: Draw, index: int) -> Piece:
    tag = draw.rng.choice(_tags_in(draw))
    slot = draw.slot("tagged", f"/{index}/{FILTER}/has_tags", (tag,))
    return Piece({"has_tags": [tag]}, lambda m: tag in m.tags, slot)


def _tags(draw: Draw, index: int) -> Piece:
    tags = tuple(draw.rng.sample(_tags_in(draw), 2))
    pointer = f"/{index}/{FILTER}/has_tags"
    if draw.rng.random() < 0.6:
        slot = draw.slot("tagged_any", pointer, tags)
        condition: dict[str, Any] = {"has_tags": list(tags), "match": "any"}
        return Piece(condition, lambda m: bool(set(tags) & set(m.tags)), slot)
    slot = draw.slot("tagged", pointer, tags)
    return Piece({"has_tags": list(tags)}, lambda m: set(tags) <= set(m.tags), slot)


def _not_tagged(draw: Draw, index: int) -> Piece:
    tag = draw.rng.choice(_tags_in(draw, marks=True))
    slot = draw.slot("not_tagged", f"/{index}/{FILTER}/not_tags", (tag,))
    return Piece({"not_tags": [tag]}, lambda m: tag not in m.tags, slot)


def _marked(draw: Draw, index: int) -> Piece:
    tag = draw.rng.choice(_tags_in(draw, marks=True))
    slot = draw.slot("marked", f"/{index}/{FILTER}/has_tags", (tag,))
    return Piece({"has_tags": [tag]}, lambda m: tag in m.tags, slot)


def _range(draw: Draw, index: int) -> Piece:
    value, start, end = period(draw.now, draw.rng)
    slot = draw.slot("range", f"/{index}/{FILTER}/time_range", value)
    return Piece({"time_range": value}, lambda m: start <= m.time <= end, slot)


def _subject(draw: Draw, index: int) -> Piece:
    who = draw.rng.choice([m.subject for m in draw.world.memories if m.subject] or ["-"])
    slot = draw.slot("subject", f"/{index}/{FILTER}/subject", who)
    return Piece({"subject": who}, lambda m: m.subject == who, slot)


def _location(draw: Draw, index: int) -> Piece:
    where = draw.rng.choice([m.location for m in draw.world.memories if m.location] or ["-"])
    slot = draw.slot("location", f"/{index}/{FILTER}/location", where)
    return Piece({"location": where}, lambda m: m.location == where, slot)


def _status(draw: Draw, index: int) -> Piece:
    status = draw.rng.choice([m.status for m in draw.world.memories if m.status] or ["-"])
    slot = draw.slot("in_status", f"/{index}/{FILTER}/facets/status", status)
    return Piece({"facets": {"status": status}}, lambda m: m.status == status, slot)


_FURTHER = (_not_tagged, _range, _range, _range, _location, _status)
_OF_A_CONDITION = (_marked, _marked, _not_tagged, _range, _range, _status)


def _tags_in(draw: Draw, *, marks: bool = False) -> list[str]:
    """The tags of the store, reports' own apart; only those that are no topic's, if so wished."""
    held = draw.world.content
    tags = {tag for m in draw.world.memories for tag in m.tags} - {REPORT[held.lang]}
    return sorted(tags & set(held.marks)) or sorted(held.marks) if marks else sorted(tags)


def _target(
    draw: Draw,
    pieces: Sequence[Piece],
    kind: str | None,
    index: int,
    *,
    condition: str = "",
    whole: bool = False,
) -> Target | None:
    """The conjunction of conditions; None where it means nothing, or all there is."""
    memories = draw.world.memories
    ids = tuple(m.id for m in memories if all(p.test(m) for p in pieces) and kind in (None, m.type))
    if not ids or (len(ids) == len(memories) and not whole):
        return None
    merged: dict[str, Any] = {}
    for piece in pieces:
        tags = [*merged.get("has_tags", ()), *piece.condition.get("has_tags", ())]
        merged |= piece.condition
        if tags:
            merged["has_tags"] = list(dict.fromkeys(tags))
            if len(tags) != len(merged["has_tags"]):
                return None
    if set(merged.get("not_tags", ())) & set(merged.get("has_tags", ())):
        return None
    parts = {piece.slot.name: piece.slot for piece in pieces}
    if kind is not None:
        merged["type"] = kind
        parts["type"] = draw.slot("type", f"/{index}/{FILTER}/type", kind)
    if len(parts) != len(pieces) + (kind is not None):
        return None
    if condition and not {m.id for m in memories if pieces[0].test(m)} - set(ids):
        return None  # an "if" that holds for all of them is no condition
    return Target(
        {"filter": merged}, ids, parts, draw.words.noun(kind, draw.rng), condition=condition,
        determiner=draw.words.determiner(draw.rng),
    )  # fmt: skip
