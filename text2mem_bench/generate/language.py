"""What the modules of the languages do, and which there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Protocol

from text2mem_bench.generate import chinese, english
from text2mem_bench.generate.model import Lang, Slot, Target


class Language(Protocol):
    """How a language says targets and what was spoken of before."""

    def noun(self, kind: str | None, rng: Random) -> str:
        """What memories of a type are called."""
        ...

    def determiner(self, rng: Random) -> str:
        """How a phrase for several memories begins."""
        ...

    def forms(self, target: Target, text: Callable[[Slot], str]) -> dict[str, str]:
        """The phrases that templates take of a target; ``text`` writes a part of it."""
        ...

    def pronoun(self, refers: str, text: Callable[[str], str]) -> dict[str, str]:
        """The phrases of what was spoken of before: a memory, memories, or parts of one."""
        ...

    def named(self, slot: Slot, text: Callable[[Slot], str], *, indefinite: bool = False) -> str:
        """A single memory by what it is about."""
        ...

    def found(self, texts: Sequence[str]) -> str:
        """What an assistant answers when it has found memories."""
        ...

    def finish(self, text: str) -> str:
        """A sentence with capitals, blanks and punctuation in place; marks stay."""
        ...


LANGUAGES: Mapping[Lang, Language] = {"en": english, "zh": chinese}
