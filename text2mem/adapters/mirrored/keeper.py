"""What a memory framework is asked to do: hold texts with their metadata, and find them.

A new framework is one class of this protocol and a line that opens it (docs/write-an-adapter.md).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol
from uuid import NAMESPACE_URL, uuid5

from text2mem.adapters.base import Support
from text2mem.clock import SystemClock
from text2mem.errors import AdapterError, Text2MemError
from text2mem.ir.ops import OPS

if TYPE_CHECKING:
    from text2mem.adapters.mirrored.vectors import Vectors

EVERYTHING = 10_000_000
"""More items than a framework holds: the limit where it is asked for all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A memory as a framework holds it.

    ``metadata`` is JSON that we have put there: id, version, and those of ``items.FIELDS`` that are
    not at their default. ``others`` is what somebody else has.
    """

    key: str
    text: str
    metadata: Mapping[str, Any] = field(default_factory=dict)
    others: Mapping[str, Any] = field(default_factory=dict)


class Keeper(Protocol):
    """One tenant's place in a framework. Every method may raise whatever the framework raises.

    No method may let a model of the framework's own write, merge or forget memories.
    """

    name: ClassVar[str]

    @property
    def place(self) -> str:
        """The tenant's namespace there."""

    @property
    def vectors(self) -> str:
        """Whose vectors it holds by our doing; empty where it holds none."""
        return ""

    @abstractmethod
    def put(self, items: Sequence[Item]) -> None:
        """Hold these under their keys, in place of what is there. Again is no error."""

    @abstractmethod
    def remove(self, keys: Sequence[str]) -> None:
        """Hold these no longer. Keys that are not there are no error."""

    @abstractmethod
    def scan(self) -> Sequence[Item]:
        """All items, others' too."""

    @abstractmethod
    def search(self, text: str, k: int) -> Sequence[tuple[str, float]]:
        """The best keys with the framework's own scores, best first."""

    def key(self, origin: str, id_: str) -> str:
        """The key of a memory that we put there: the same one each time."""
        return f"{origin}-{id_}"

    def erase(self) -> None:
        """Rewrite what may still hold the bytes of removed items."""
        return

    @abstractmethod
    def close(self) -> None:
        """Release it; closing twice is no error."""


@contextmanager
def answering(keeper: Keeper) -> Iterator[None]:
    """Raises AdapterError where a framework does not answer, and ServiceError where a server does
    not."""
    try:
        yield
    except Text2MemError:
        raise
    except Exception as error:  # a framework may raise anything
        raise AdapterError(
            f"{keeper.name} does not answer: {type(error).__name__}", hint="try again"
        ) from error


class OwnVectors(Keeper):
    """A keeper in whose framework every item has a vector of ours, and a UUID as its key."""

    def __init__(self, vectors: Vectors, release: Callable[[], None] | None = None) -> None:
        """``release`` gives back what is its own; without one, all stays the caller's."""
        self._vectors = vectors
        self._clock = SystemClock()
        self._release = release

    @property
    def vectors(self) -> str:
        return self._vectors.model

    def key(self, origin: str, id_: str) -> str:
        """A UUID, as the framework's are."""
        return str(uuid5(NAMESPACE_URL, f"text2mem:{origin}:{self.place}:{id_}"))

    def close(self) -> None:
        if self._release is not None:
            self._release()
            self._release = None


def supporting(*, native: Sequence[str]) -> dict[str, Support]:
    """Every op: those that a framework carries out itself, the others by the store beside it."""
    return {op: Support.NATIVE if op in native else Support.EMULATED for op in OPS}
