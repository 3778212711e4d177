"""What the stages need of each other, as small protocols."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from text2mem.ir.record import Record


class Clock(Protocol):
    """The source of the current instant."""

    def now(self) -> datetime:
        """An aware datetime."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors of one model and dimension."""

    @property
    def model(self) -> str:
        """The model's name, recorded with every vector."""
        ...

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """One vector a text, in order."""
        ...


class Summariser(Protocol):
    """Condenses texts. ``extractive`` says that sentences are picked, not written."""

    @property
    def extractive(self) -> bool:
        """Whether the digest consists of sentences of the texts themselves."""
        ...

    def summarise(
        self, texts: Sequence[str], *, focus: str | None, max_tokens: int, lang: str | None
    ) -> str:
        """A digest of at most about ``max_tokens`` tokens."""
        ...


class Splitter(Protocol):
    """Cuts a text in the way that an instruction in words asks for."""

    def split(self, text: str, *, instruction: str) -> Sequence[str]:
        """The parts, in order; together they hold what the text held."""
        ...


class StoreView(Protocol):
    """What a planner may know of the store: only what the caller's actor may read."""

    def tags(self, limit: int = 64) -> Sequence[str]:
        """The tags in use, the most frequent first."""
        ...

    def recent(self, limit: int = 8) -> Sequence[Record]:
        """The newest memories, the newest first."""
        ...
