"""What a generated case is made of: slots, targets, steps.

A program is there first. Its values become slots, each of which knows how it is said, and where in
the program it stands, so that a request can be held against the program phrase by phrase.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Lang = Literal["en", "zh"]
Split = Literal["train", "dev", "test"]
Refers = Literal["", "memories", "memory", "parts"]
Family = Literal["operational", "inquiry", "conditional", "interactive"]
LANGS: tuple[Lang, ...] = ("en", "zh")
SPLITS: tuple[Split, ...] = ("train", "dev", "test")
FAMILIES: tuple[Family, ...] = ("operational", "inquiry", "conditional", "interactive")

KINDS: Mapping[str, str] = {
    "topic": "entity", "range": "period", "span": "span", "lasting": "until", "delta": "degree",
    "labels": "label", "often": "recurrence", "count": "count", "length": "length",
    "pieces": "size", "older": "age",
}  # fmt: skip
"""The slots that can be said vaguely, and what is then left open."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A value of a program in words: as precisely as it is meant, and vaguely where one can.

    ``pointer`` is a JSON Pointer into the program; without one the words stand for nothing in it.
    """

    name: str
    pointer: str
    said: str
    vaguely: str = ""

    @property
    def kind(self) -> str:
        """What is left open where the slot is said vaguely."""
        return KINDS.get(self.name, "")


@dataclass(frozen=True, slots=True)
class Target:
    """Which memories a step is about, as a selector, by their ids, and in words.

    ``ids`` is what the words mean, worked out without the store. ``parts`` are the slots that a
    language makes a noun phrase of; ``condition`` is the name of that part which an "if" takes.
    """

    selector: Mapping[str, Any]
    ids: tuple[str, ...]
    parts: Mapping[str, Slot]
    noun: str
    single: bool = False
    condition: str = ""
    determiner: str = ""
    """How the phrase begins, in a language that has it begin in several ways."""


@dataclass(frozen=True, slots=True)
class Extra:
    """An argument that only some requests have, said at the end of the sentence."""

    hole: str
    key: str
    pointer: str


@dataclass(frozen=True, slots=True)
class Step:
    """One instance and what its request is made of.

    ``ids`` are the memories that it is about, None where only running it tells. ``refers`` is the
    kind of thing that its target refers back to, empty where it says itself what it is about.
    ``setup`` are instances that have to run before, so that it can have an effect.
    """

    seed: str
    wording: str
    instance: Mapping[str, Any]
    slots: Mapping[str, Slot]
    needed: frozenset[str]
    target: Target | None = None
    ids: tuple[str, ...] | None = None
    refers: Refers = ""
    extra: Extra | None = None
    setup: tuple[Mapping[str, Any], ...] = ()
    must: tuple[str, ...] = ()
    """Words that have to be kept of a text, whoever writes it down."""
    named: Mapping[str, Target] = field(default_factory=dict)
    """Further memories that the request speaks of, by the name of their slot."""
