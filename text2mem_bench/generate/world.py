"""Synthetic stores: memories about a few topics, with tags, times, people, places."""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib import resources
from typing import Any

from text2mem.ir.times.temporal import format_instant
from text2mem_bench.generate.literals import literal
from text2mem_bench.generate.model import Lang

TOPICS = 3
REPORT = {"en": "report", "zh": "报告"}
"""The tag of the memories that are long enough to be split."""
_FIRST = datetime(2026, 2, 2, 8, 0, tzinfo=UTC)
_LITERAL = re.compile(r"\{(\w+)\}")
_MUST = re.compile(r"\[([^\]]+)\]")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A text with its drawn literals filled in, and the words that must be kept of it.

    ``draft`` and ``literals`` let one literal be exchanged for another.
    """

    draft: str
    literals: Mapping[str, str]
    text: str
    must: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Topic:
    """What memories are about; see the files in ``content/``."""

    name: str
    tag: str
    loose: str
    focus: tuple[str, ...]
    memories: tuple[tuple[str, str, str], ...]
    fresh: tuple[str, ...]
    past: tuple[str, ...]
    long: str


@dataclass(frozen=True, slots=True)
class Content:
    """What the stores of a language are made of."""

    lang: Lang
    topics: tuple[Topic, ...]
    types: tuple[str, ...]
    statuses: tuple[str, ...]
    marks: tuple[str, ...]
    new_marks: tuple[str, ...]
    people: Mapping[str, str]
    places: tuple[str, ...]

    def sentence(self, draft: str, rng: random.Random, fixed: Mapping[str, str]) -> Sentence:
        """A draft with its literals drawn, but for those that are fixed."""
        drawn = {
            name: fixed.get(name) or literal(name, self.lang, rng, tuple(self.people), self.places)
            for name in dict.fromkeys(_LITERAL.findall(draft))
        }
        filled = _LITERAL.sub(lambda found: drawn[found[1]], draft)
        text = _MUST.sub(r"\1", filled)
        stop = "." if self.lang == "en" else "。"
        must = tuple(_MUST.findall(filled)) or tuple(drawn.values())[:1] or (_word(text),)
        return Sentence(draft, drawn, text if text.endswith(stop) else text + stop, must)


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory of a synthetic store."""

    id: str
    sentence: Sentence
    about: str
    topic: Topic
    type: str | None
    tags: tuple[str, ...]
    time: datetime
    subject: str | None
    location: str | None
    status: str | None

    @property
    def text(self) -> str:
        """Its text."""
        return self.sentence.text

    def instance(self) -> dict[str, Any]:
        """The Encode that makes it."""
        args: dict[str, Any] = {"payload": {"text": self.text}}
        if self.type is not None:
            args["type"] = self.type
        args |= {"tags": list(self.tags), "time": format_instant(self.time)}
        if self.subject is not None:
            args["subject"] = self.subject
        if self.location is not None:
            args["location"] = self.location
        if self.status is not None:
            args["facets"] = {"status": self.status}
        return {"stage": "ENC", "op": "Encode", "args": args}


@dataclass(frozen=True, slots=True)
class World:
    """A store at an instant: its memories in the order in which they are encoded."""

    content: Content
    now: datetime
    memories: tuple[Memory, ...]
    topics: tuple[Topic, ...]

    @property
    def others(self) -> list[Topic]:
        """The topics that no memory is about."""
        return [topic for topic in self.content.topics if topic not in self.topics]

    def memory(self, id_: str) -> Memory:
        """The memory with an id."""
        return self.memories[int(id_) - 1]

    def prerequisites(self) -> list[dict[str, Any]]:
        """What fills an empty store with it."""
        return [memory.instance() for memory in self.memories]


@cache
def content(lang: Lang) -> Content:
    """What the stores of a language are made of, read from its file."""
    read = tomllib.loads(
        resources.files("text2mem_bench.generate")
        .joinpath("content", f"{lang}.toml")
        .read_text("utf-8")
    )
    topics = tuple(
        Topic(
            name=raw["name"], tag=raw["tag"], loose=raw["loose"], focus=tuple(raw["focus"]),
            memories=tuple(_fields(line) for line in raw["memories"]),
            fresh=tuple(raw["fresh"]), past=tuple(raw["past"]), long=raw["long"],
        )
        for raw in read["topics"]
    )  # fmt: skip
    return Content(
        lang=lang, topics=topics, types=tuple(read["types"]), statuses=tuple(read["statuses"]),
        marks=tuple(read["marks"]), new_marks=tuple(read["new_marks"]),
        people=dict(line.split(" | ") for line in read["people"]), places=tuple(read["places"]),
    )  # fmt: skip


def make_world(lang: Lang, rng: random.Random) -> World:
    """A store of six to nine memories about three topics, some of them months old."""
    held = content(lang)
    now = _FIRST + timedelta(days=rng.randrange(600), minutes=5 * rng.randrange(120))
    topics = tuple(rng.sample(held.topics, TOPICS))
    drafts = [
        (topic, *line)
        for topic in topics
        for line in rng.sample(topic.memories, rng.choice((2, 2, 3)))
    ]
    longest = rng.choice(topics)
    drafts.append((longest, "-", longest.name, longest.long))
    rng.shuffle(drafts)
    memories = tuple(
        _memory(str(number), held, rng, now, topic, kind, about, draft)
        for number, (topic, kind, about, draft) in enumerate(drafts, 1)
    )
    return World(held, now, memories, topics)


def _memory(
    id_: str,
    held: Content,
    rng: random.Random,
    now: datetime,
    topic: Topic,
    kind: str,
    about: str,
    draft: str,
) -> Memory:
    sentence = held.sentence(draft, rng, {})
    is_report = draft == topic.long
    tags = [topic.tag, *([REPORT[held.lang]] if is_report else [])]
    tags += rng.sample(held.marks, rng.choice((0, 1, 1, 2)))
    who = sentence.literals.get("who")
    task = held.types[0]
    return Memory(
        id=id_, sentence=sentence, about=about, topic=topic,
        type=None if kind == "-" else kind, tags=tuple(tags), time=now - _age(rng),
        subject=who or (rng.choice(list(held.people)) if rng.random() < 0.2 else None),
        location=sentence.literals.get("place")
        or (rng.choice(held.places) if rng.random() < 0.3 else None),
        status=rng.choice(held.statuses) if kind == task or rng.random() < 0.25 else None,
    )  # fmt: skip


def _age(rng: random.Random) -> timedelta:
    """Some from these days, some from these weeks, some from months ago."""
    days = rng.choice((rng.randrange(6), rng.randrange(6, 45), rng.randrange(45, 420)))
    return timedelta(days=days, hours=rng.randrange(1, 9), minutes=5 * rng.randrange(12))


def _fields(line: str) -> tuple[str, str, str]:
    kind, about, text = line.split(" | ")
    return kind, about, text


def _word(text: str) -> str:
    """A word to know a text by, where nothing else is marked."""
    words: Sequence[str] = re.findall(r"[A-Za-z]{4,}", text) or [text[:4]]
    return max(words, key=len)
