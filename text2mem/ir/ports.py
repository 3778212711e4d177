"""Protocols for what one stage needs of another, or of a service."""

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
    """Computes the vectors of texts, all by one model and of one dimension."""

    @property
    def model(self) -> str:
        """``provider:model``. It is kept with every vector: those of two models do not compare."""

    @property
    def dimension(self) -> int | None:
        """The number of components of a vector; None until it is known."""

    @property
    def threshold(self) -> float:
        """The cosine similarity from which a search counts a memory as a hit."""

    def embed(
        self, texts: Sequence[str], *, kind: Literal["passage", "query"]
    ) -> Sequence[Sequence[float]]:
        """Return one vector of unit length for each text, in order. The text of a memory is a
        "passage", that of a search a "query"."""


@dataclass(frozen=True, slots=True)
class Digest:
    """A summary of texts."""

    text: str
    extractive: bool
    """Whether it consists of sentences of the texts."""
    notes: tuple[str, ...] = ()
    """What a reader has to know besides, such as what was left out. They become warnings."""


class Summariser(Protocol):
    """Summarises texts."""

    def summarise(
        self, texts: Sequence[str], *, focus: str | None, max_tokens: int, lang: str | None
    ) -> Digest:
        """Return a digest of about ``max_tokens`` tokens at most."""


class Splitter(Protocol):
    """Cuts a text as an instruction in words says."""

    def split(self, text: str, *, instruction: str) -> Sequence[str]:
        """Return the parts, in order. Together they hold the words of the text."""


class Fetched(Protocol):
    """A page that was fetched."""

    @property
    def text(self) -> str:
        """Its text, without markup."""


class Fetcher(Protocol):
    """Fetches the text behind a url, or refuses to."""

    def fetch(self, url: str) -> Fetched:
        """Return the page. Raises FetchRefused or ServiceError."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What selectors can name of the memories in sight, the most frequent first, then by name."""

    tags: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Selection:
    """The memories that a target hits."""

    rows: tuple[Record, ...]
    """The memories in the order of the target, after its limit."""
    matched: int
    """How many there are without the limit."""
    scores: Mapping[str, float] = field(default_factory=dict)
    """The scores of a search by id. A higher score is better."""

    @property
    def cut(self) -> bool:
        """Whether the limit left some out."""
        return self.matched > len(self.rows)


Away = Literal["archived", "deleted"]
"""A state in which a memory is out of sight."""
Hidden = Sequence[Away]
"""Which memories are included besides those that a read sees by default."""


class StoreView(Protocol):
    """The store as a planner sees it: only what the caller's actor may read, and no memory whose
    expiry is due. Archived and deleted memories are left out unless ``include`` asks for them, and
    so are facts that are pending or not valid now; an id names any of them."""

    @abstractmethod
    def tags(self, limit: int = 64) -> Sequence[str]:
        """Return the tags in use, the most frequent first, then alphabetically."""

    def recent(self, limit: int = 8) -> Sequence[Record]:
        """Return the newest memories, the newest first."""

    def vocabulary(self, limit: int = 256, *, include: Hidden = ()) -> Vocabulary:
        """Return what selectors can name, up to ``limit`` values of each kind; of a large store,
        that of its newest memories."""

    def search(
        self, query: str, *, vector: tuple[float, ...] | None = None, limit: int = 8,
        include: Hidden = (),
    ) -> Sequence[Record]:  # fmt: skip
        """Return the hits of the store's search, the best first: by BM25, fused with the similarity
        to the query's ``vector``. Raises ExecutionError "vector-dimension"."""

    def find(self, ids: Sequence[str]) -> Mapping[str, Record]:
        """Return the memories that have these ids, by id, archived and deleted ones included."""

    @abstractmethod
    def vectors(self, ids: Sequence[str]) -> Mapping[str, Sequence[float]]:
        """Return the vectors of the memories that have one, by memory id."""

    def select(
        self, filter: ByFilter, *, noted: Sequence[TimeRange] | None = None,
        away: Away | None = None,
    ) -> Selection:  # fmt: skip
        """Return at most 256 memories that a filter hits, in its order. ``matched`` counts all.
        With ``noted`` they are ordered by their creation; if it holds stretches of time, those are
        hit whose time or creation lies in one of them. With ``away`` only those are hit that are
        archived, or deleted."""

    def everything(self, limit: int, *, include: Hidden = ()) -> Selection:
        """Return the newest ``limit`` of all memories, the newest first. ``matched`` counts all."""


Preview = Callable[["Sequence[Op]"], "ProgramResult"]
"""A function that makes a dry run of a program and returns its result. Raises AdapterError."""
