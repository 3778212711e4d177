"""How a language speaks: its words, a file of ``values/`` each, and how its phrases are built."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from random import Random
from typing import Any

from text2mem_bench.generate import chinese, english
from text2mem_bench.generate.literals import number
from text2mem_bench.generate.model import Lang, Slot, Target


@dataclass(frozen=True)
class Language:
    """``forms`` are the phrases that templates take of a target, ``pronoun`` those of what was
    spoken of before (a memory, memories, parts of one); a function writes their parts. ``finish``
    puts capitals, blanks and punctuation of a sentence in place; marks stay.
    """

    lang: Lang
    words: Mapping[str, Any]
    forms: Callable[[Target, Callable[[Slot], str]], dict[str, str]]
    pronoun: Callable[[str, Callable[[str], str]], dict[str, str]]
    finish: Callable[[str], str]

    def __getitem__(self, name: str) -> Any:
        return self.words[name]

    def vague(self, name: str) -> Any:
        """The words by which a value of a slot is said vaguely."""
        return self["vague"][name]

    def times(self, name: str) -> Any:
        """The words of times."""
        return self["times"][name]

    def listed(self, items: Sequence[str], joint: str = "and") -> str:
        """Quoted items as a list in words."""
        *others, last = [self["quoted"].format(item) for item in items]
        return f"{self['comma'].join(others)}{self[joint]}{last}" if others else last

    def noun(self, kind: str | None, rng: Random) -> str:
        """What memories of a type are called."""
        return str(self["type"].format(kind) if kind else rng.choice(self["nouns"]))

    def determiner(self, rng: Random) -> str:
        """How a phrase for several memories begins."""
        return str(rng.choice(self["determiners"]))

    def named(self, slot: Slot, text: Callable[[Slot], str], *, indefinite: bool = False) -> str:
        """A single memory by what it is about."""
        return str(self["named"]["a" if indefinite else "the"].format(text(slot)))

    def found(self, texts: Sequence[str]) -> str:
        """What an assistant answers when it has found memories."""
        shown = self["found"]["between"].join(self["quoted"].format(text) for text in texts[:3])
        rest = len(texts) - 3
        more = self["found"]["more"].format(number(rest, self.lang)) if rest > 0 else ""
        return f"{shown}{more}"


@cache
def language(lang: Lang) -> Language:
    """A language, its words read from its file."""
    file = resources.files(__package__).joinpath("values", f"{lang}.toml")
    built = english if lang == "en" else chinese
    words = tomllib.loads(file.read_text("utf-8"))
    return Language(lang, words, built.forms, built.pronoun, built.finish)
