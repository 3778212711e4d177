"""Templates, and which split each belongs to.

A split is a template's for good: it goes by the place in its list, so that lists grow at their end
and nothing moves. Frames and clauses are held apart alike, so that no two splits share a way of
putting things.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from text2mem_bench.generate.model import SPLITS, Lang, Split

_CYCLE: tuple[Split, ...] = ("train", "dev", "test", "train", "train")
"""The split of a template by its place in its list, over and over."""
_SHARED = ("extras", "listing", "done")
"""Lists that are too short to be held apart: parts of a sentence, or the words of the assistant."""
_PLACE = re.compile(r"\{(\w+)\}")
_KEY = re.compile(r"([a-z ]+):(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Template:
    """A way of putting things; ``turns`` are those of a conversation, the last one the request."""

    id: str
    turns: tuple[str, ...]
    key: str = ""

    @property
    def places(self) -> frozenset[str]:
        """The names in braces."""
        return frozenset(name for turn in self.turns for name in _PLACE.findall(turn))

    def filled(self, values: Mapping[str, str]) -> list[str]:
        """The turns with their names in braces replaced. Raises KeyError."""
        return [_PLACE.sub(lambda found: values[found[1]], turn) for turn in self.turns]


@dataclass(frozen=True, slots=True)
class Book:
    """The templates of a language, by list and split."""

    lists: Mapping[tuple[str, Split], tuple[Template, ...]]

    def some(self, name: str, split: Split) -> tuple[Template, ...]:
        """The templates of a list that belong to a split; none where there is no such list."""
        return self.lists.get((name, split), ())

    def pick(
        self,
        name: str,
        split: Split,
        rng: random.Random,
        fits: Callable[[Template], bool] = lambda _: True,
    ) -> Template | None:
        """One of them that fits; None where none does."""
        found = [template for template in self.some(name, split) if fits(template)]
        return rng.choice(found) if found else None


@cache
def book(lang: Lang) -> Book:
    """The templates of a language, read from its file."""
    read = tomllib.loads(
        resources.files("text2mem_bench.generate")
        .joinpath("wording", f"{lang}.toml")
        .read_text("utf-8")
    )
    lists: dict[tuple[str, Split], list[Template]] = {}
    for section, entries in read.items():
        for name, templates in _flat(entries):
            for place, raw in enumerate(templates):
                template = _template(f"{lang}/{section}/{name}/{place + 1}", raw)
                shared = name.split("/")[0] in _SHARED or len(templates) < len(SPLITS)
                for split in SPLITS if shared else (_CYCLE[place % len(_CYCLE)],):
                    lists.setdefault((f"{section}/{name}", split), []).append(template)
    return Book({key: tuple(templates) for key, templates in lists.items()})


def _flat(entries: Mapping[str, Any]) -> list[tuple[str, Sequence[Any]]]:
    found: list[tuple[str, Sequence[Any]]] = []
    for name, value in entries.items():
        if isinstance(value, dict):
            found += [(f"{name}/{inner}", listed) for inner, listed in value.items()]
        else:
            found.append((name, value))
    return found


def _template(id_: str, raw: str | list[str]) -> Template:
    if isinstance(raw, list):
        return Template(id_, tuple(raw))
    match = _KEY.fullmatch(raw) if "/extras/" in id_ else None
    return Template(id_, (match[2],), match[1]) if match else Template(id_, (raw,))
