"""Perturbation: the values that the holes of a seed program are filled with.

Each kind of hole draws another value of its type from the store, its clock or its content, with the
slots by which a request can say it. A draw that comes to naught is None.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from text2mem_bench.generate import periods
from text2mem_bench.generate.literals import day_of_month, literal
from text2mem_bench.generate.model import Slot, Target
from text2mem_bench.generate.targets import Draw
from text2mem_bench.generate.world import Topic

DELTAS = (0.1, 0.15, 0.2, 0.25, 0.3, 0.4)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A value, the slots by which it is said, and further words that go with it.

    ``voices`` names what a slot is said like, where that is not its own name. ``must`` is what has
    to be kept of a text, whoever writes it; ``key`` chooses the extra that says the value.
    """

    value: Any
    said_as: Mapping[str, Any]
    beside: Mapping[str, Any] | None = None
    voices: Mapping[str, str] = field(default_factory=dict)
    must: tuple[str, ...] = ()
    key: str = ""


Hole = Callable[[Draw, Target | None], Drawn | None]


def _said(value: Any, *names: str) -> Drawn:
    return Drawn(value, dict.fromkeys(names, value))


# --- content -------------------------------------------------------------------------------


def _text_of(drafts: str) -> Hole:
    """A sentence that the store does not hold yet."""

    def draw_text(draw: Draw, _: Target | None) -> Drawn:
        unknown = draw.rng.random() < 0.5
        topic: Topic = draw.rng.choice(draw.world.others if unknown else draw.world.topics)
        draft = draw.rng.choice(getattr(topic, drafts))
        sentence = draw.world.content.sentence(draft, draw.rng, {})
        beside = {"topic": topic} if unknown else None
        text = sentence.text
        return Drawn(text, {"text": text, "that": text}, beside, must=sentence.must)

    return draw_text


def _changed(draw: Draw, target: Target | None) -> Drawn | None:
    """A memory's own sentence with one literal exchanged."""
    held = draw.world.content
    assert target is not None
    sentence = draw.world.memory(target.ids[0]).sentence
    if not sentence.literals:
        return None
    name = draw.rng.choice(list(sentence.literals))
    old = sentence.literals[name]
    new = literal(name, held.lang, draw.rng, tuple(held.people), held.places)
    text = held.sentence(sentence.draft, draw.rng, {**sentence.literals, name: new}).text
    if new == old or new in sentence.text or old in text:
        return None
    voices = {"new": "literal", "old": "literal"}
    return Drawn(text, {"quote": text, "new": new}, {"old": old}, voices, (new,))


def _fact(draw: Draw, _: Target | None) -> Drawn:
    rng, held = draw.rng, draw.world.content
    who, latin = rng.choice(list(held.people.items()))
    attribute, value = rng.choice(
        (
            ("phone", f"0176{rng.randrange(10**6, 10**7)}"),
            ("email", f"{latin}@{rng.choice(('mail', 'post', 'home'))}.example"),
            ("birthday", day_of_month(rng.randrange(1, 13), rng.randrange(1, 29), held.lang)),
            ("city", rng.choice(held.places[:6])),
        )
    )
    if held.lang == "zh":
        names = {"phone": "电话", "email": "邮箱", "birthday": "生日", "city": "老家"}
        attribute = names[attribute]
    fact = {"subject": who, "attribute": attribute, "value": value}
    return Drawn(fact, {"fact": fact, "asked": fact, "value": fact}, must=(value,))


# --- tags and states -----------------------------------------------------------------------


def _new_tags(draw: Draw, target: Target | None) -> Drawn:
    """Tags that none of the target's memories has."""
    held = {tag for id_ in (target.ids if target else ()) for tag in draw.world.memory(id_).tags}
    pool = [
        tag for tag in (*draw.world.content.new_marks, *draw.world.content.marks) if tag not in held
    ]
    tags = draw.rng.sample(pool, draw.rng.choice((1, 1, 1, 2)))
    return _said(tags, "tags", "labels")


def _held_tag(draw: Draw, target: Target | None) -> Drawn | None:
    """A mark that some of the target's memories have, and that does not say which they are."""
    assert target is not None
    said = str(target.selector)
    marks = [
        tag
        for tag in draw.world.content.marks
        if f"'{tag}'" not in said and any(tag in draw.world.memory(id_).tags for id_ in target.ids)
    ]
    if not marks:
        return None
    tags = [draw.rng.choice(marks)]
    return Drawn(tags, {"tags": tags, "labels": tags}, voices={"labels": "held_labels"})


def _status(draw: Draw, target: Target | None) -> Drawn:
    held = [draw.world.memory(id_).status for id_ in (target.ids if target else ())]
    free = [s for s in draw.world.content.statuses if s not in held]
    return _said(draw.rng.choice(free or draw.world.content.statuses), "status")


def _type(draw: Draw, _: Target | None) -> Drawn:
    return _said(draw.rng.choice(draw.world.content.types), "kind")


def _place(draw: Draw, _: Target | None) -> Drawn:
    return _said(draw.rng.choice(draw.world.content.places), "place")


def _reviewer(draw: Draw, _: Target | None) -> Drawn:
    who = draw.rng.choice(list(draw.world.content.people))
    return Drawn([who], {"reviewer": who})


# --- numbers and times ---------------------------------------------------------------------


def _delta(sign: int) -> Hole:
    return lambda draw, _: _said(sign * draw.rng.choice(DELTAS), "delta")


def _one_of(name: str, *values: Any) -> Hole:
    return lambda draw, _: _said(draw.rng.choice(values), name)


def _keyed(**values: Any) -> Hole:
    """A value that its extra says by its key."""

    def draw_key(draw: Draw, _: Target | None) -> Drawn:
        key = draw.rng.choice(list(values))
        return Drawn(values[key], {}, key=key.replace("_", " "))

    return draw_key


def _pieces(draw: Draw, target: Target | None) -> Drawn:
    assert target is not None
    length = len(draw.world.memory(target.ids[0]).text)
    params = draw.rng.choice(
        ({"max_sentences": 1}, {"max_sentences": 2}, {"chunk_size": max(20, length // 30 * 10)})
    )
    strategy = "by_chunks" if "chunk_size" in params else "by_sentences"
    return Drawn({"strategy": strategy, "params": params}, {"pieces": params})


def _focus(draw: Draw, target: Target | None) -> Drawn | None:
    assert target is not None
    topics = {draw.world.memory(id_).topic for id_ in target.ids}
    if len(topics) != 1:
        return None
    return _said(draw.rng.choice(next(iter(topics)).focus), "focus")


HOLES: Mapping[str, Hole] = {
    "fresh": _text_of("fresh"),
    "past": _text_of("past"),
    "changed": _changed,
    "fact": _fact,
    "new_tags": _new_tags,
    "held_tag": _held_tag,
    "status": _status,
    "type": _type,
    "place": _place,
    "reviewer": _reviewer,
    "up": _delta(1),
    "down": _delta(-1),
    "raised": _one_of("level", "high", "urgent"),
    "lowered": _one_of("level", "low"),
    "pieces": _pieces,
    "focus": _focus,
    "tokens": _one_of("length", 40, 60, 80, 100, 120, 150, 200),
    "k": _one_of("k", 2, 3, 4, 5),
    "span": lambda draw, _: _said(draw.rng.choice(periods.SPANS), "span"),
    "age": lambda draw, _: _said(draw.rng.choice(periods.SPANS[4:]), "older"),
    "end": lambda draw, _: _said(periods.end(draw.now, draw.rng), "until", "lasting"),
    "far_end": lambda draw, _: _said(periods.far_end(draw.now, draw.rng), "until"),
    "past_day": lambda draw, _: _said(periods.past_day(draw.now, draw.rng), "when"),
    "rule": lambda draw, _: _said(periods.rule(draw.rng), "often"),
    "keep_parts": _keyed(keep=True),
    "keep_others": _keyed(keep=False),
    "on_expire": _keyed(erase="hard_delete", demote="demote", anonymise="anonymize"),
    "fields": _keyed(
        text=["text"], text_time=["text", "time"], text_tags=["text", "tags"],
        text_location=["text", "location"],
    ),
}  # fmt: skip


def slots_of(draw: Draw, drawn: Drawn, pointer: str) -> dict[str, Slot]:
    """The slots of a drawn value, and the words beside it, which point to nothing."""
    slots = {}
    for name, value in drawn.said_as.items():
        said = draw.slot(drawn.voices.get(name, name), pointer, value)
        slots[name] = replace(said, name=name)
    for name, value in (drawn.beside or {}).items():
        said = draw.slot(drawn.voices.get(name, name), "", value)
        slots[name] = replace(said, name=name, vaguely="")
    return slots
