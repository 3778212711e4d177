"""The words of a language for values: a file of ``values/`` each."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from text2mem_bench.generate.model import Lang


@dataclass(frozen=True)
class W:
    """The words of a language, as its file has them."""

    lang: Lang
    words: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.words[name]

    def vague(self, name: str) -> Any:
        """The words by which a value of a slot is said vaguely."""
        return self.words["vague"][name]

    def times(self, name: str) -> Any:
        """The words of times."""
        return self.words["times"][name]

    def listed(self, items: Sequence[str], joint: str = "and") -> str:
        """Quoted items as a list in words."""
        *others, last = [self["quoted"].format(item) for item in items]
        return f"{self['comma'].join(others)}{self[joint]}{last}" if others else last


@cache
def words(lang: Lang) -> W:
    """The words of a language, read from its file."""
    file = resources.files(__package__).joinpath("values", f"{lang}.toml")
    return W(lang, tomllib.loads(file.read_text("utf-8")))
