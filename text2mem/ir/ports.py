"""What the stages need of each other, as small protocols."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from text2mem.ir.ops import ByFilter, Op
    from text2mem.ir.record import Record
    from text2mem.ir.result import ProgramResult
    from text2mem.ir.times.temporal import TimeRange


class Clock(Protocol):
    """The source of the current instant."""

    def now(self) -> datetime:
        """An aware datetime."""


class Embedder(Protocol):
    """Turns texts into vectors of one model and dimension."""

    @property
    def model(self) -> str:
        """``provider:model``, recorded with every vector; those of two models do not compare."""

    @property
    def dimension(self) -> int | None:
        """How many numbers a vector has; None until it is known."""

    @property
    def threshold(self) -> float:
        """The cosine similarity from which a search counts a memory as a hit."""

    def embed(
        self, texts: Sequence[str], *, kind: Literal["passage", "query"]
    ) -> Sequence[Sequence[float]]:
        """One vector of unit length a text, in order; a memory is a passage, a search a query."""


@dataclass(frozen=True, slots=True)
class Digest:
    """What a summariser made of texts.

    ``extractive``: its sentences are picked from the texts, not written. ``notes`` say what a
    reader has to know besides, such as what was left out; they become warnings.
    """

    text: str
    extractive: bool
    notes: tuple[str, ...] = ()


class Summariser(Protocol):
    """Condenses texts."""

    def summarise(
        self, texts: Sequence[str], *, focus: str | None, max_tokens: int, lang: str | None
    ) -> Digest:
        """A digest of at most about ``max_tokens`` tokens."""


class Splitter(Protocol):
    """Cuts a text in the way that an instruction in words asks for."""

    def split(self, text: str, *, instruction: str) -> Sequence[str]:
        """The parts, in order; together they hold what the text held."""


class Fetched(Protocol):
    """What was fetched: the text of a page."""

    @property
    def text(self) -> str:
        """Plain text, without markup."""


class Fetcher(Protocol):
    """Fetches the text behind a url, or refuses to."""

    def fetch(self, url: str) -> Fetched:
        """The page. Raises FetchRefused, ServiceError."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What selectors can name of the memories in sight, each the most frequent first.

    Equally frequent ones go by the alphabet.
    """

    tags: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Selection:
    """The rows of a target in its order, after its limit; ``matched`` counts before the limit.

    ``scores`` holds a search's score by id, higher is better.
    """

    rows: tuple[Record, ...]
    matched: int
    scores: Mapping[str, float] = field(default_factory=dict)

    @property
    def cut(self) -> bool:
        """Whether there are more than these."""
        return self.matched > len(self.rows)


Hidden = Sequence[Literal["archived", "deleted"]]
"""What is seen beside the memories that a read sees by itself."""


class StoreView(Protocol):
    """What a planner may know of the store: only what the caller's actor may read.

    Memories that are archived, deleted, pending or not valid now are out of sight but where
    ``include`` asks for them or an id names them; one whose expiry is due always is.
    """

    @abstractmethod
    def tags(self, limit: int = 64) -> Sequence[str]:
        """The tags in use, the most frequent first, equally frequent ones by the alphabet."""

    def recent(self, limit: int = 8) -> Sequence[Record]:
        """The newest memories, the newest first."""

    def vocabulary(self, limit: int = 256, *, include: Hidden = ()) -> Vocabulary:
        """What selectors can name, at most ``limit`` of each kind.

        Of a large store these are the newest memories' only.
        """

    def search(
        self,
        query: str,
        *,
        vector: tuple[float, ...] | None = None,
        limit: int = 8,
        include: Hidden = (),
    ) -> Sequence[Record]:
        """The store's own search, the best first: BM25, fused with the query's ``vector`` where it
        has vectors. Raises ExecutionError "vector-dimension".
        """

    def find(self, ids: Sequence[str]) -> Mapping[str, Record]:
        """Those of the ids that exist, archived and deleted ones too, by id."""

    @abstractmethod
    def vectors(self, ids: Sequence[str]) -> Mapping[str, Sequence[float]]:
        """The vectors that the store holds of these memories, by id; not all may have one."""

    def select(self, filter: ByFilter, *, noted: Sequence[TimeRange] | None = None) -> Selection:
        """What a filter hits, in its order, at most 256; ``matched`` says how many there are.

        With ``noted`` the order is that in which memories were made, of equal ones the one made
        last first where the newest are; and of stretches in it, what is of one of them or was
        made in one.
        """

    def everything(self, limit: int, *, include: Hidden = ()) -> Selection:
        """The newest ``limit`` of all memories, the newest first, and how many there are."""


Preview = Callable[["Sequence[Op]"], "ProgramResult"]
"""The result of a dry run of a program: what it would do, without doing it. Raises AdapterError."""
