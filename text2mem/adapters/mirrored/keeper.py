"""The interface to a memory framework: it holds texts with their metadata, and searches them.

A new framework needs one class of this protocol and one adapter (docs/write-an-adapter.md).
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
"""The limit for calls that ask for all items of a framework."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A memory as a framework holds it."""

    key: str
    text: str
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """Our JSON: id, version, and those of ``items.FIELDS`` that are not at their default."""
    others: Mapping[str, Any] = field(default_factory=dict)
    """The values that others have added."""


class Keeper(Protocol):
    """One tenant's items in a framework. A method may raise whatever the framework raises. No
    method may let a model of the framework write, merge or forget memories."""

    name: ClassVar[str]

    @property
    def place(self) -> str:
        """The tenant's namespace in the framework."""

    @property
    def vectors(self) -> str:
        """The model of the vectors that we give to the framework; empty if we give none."""
        return ""

    @abstractmethod
    def put(self, items: Sequence[Item]) -> None:
        """Store items under their keys, in place of present ones. Repeating it is no error."""

    @abstractmethod
    def remove(self, keys: Sequence[str]) -> None:
        """Remove the items with these keys. Missing keys are no error."""

    @abstractmethod
    def scan(self) -> Sequence[Item]:
        """All items, including those of others."""

    @abstractmethod
    def search(self, text: str, k: int) -> Sequence[tuple[str, float]]:
        """The keys and the framework's scores of the best ``k`` hits of a text that is not blank,
        best first."""

    def key(self, origin: str, id_: str) -> str:
        """The key of a memory. It must be the same each time. ``origin`` identifies our store."""
        return f"{origin}-{id_}"

    def erase(self) -> None:
        """Rewrite the files that may still hold bytes of removed items."""
        return

    @abstractmethod
    def close(self) -> None:
        """Release the framework. Closing twice is no error."""


@contextmanager
def answering(keeper: Keeper) -> Iterator[None]:
    """Run the body, and raise AdapterError for an exception that is none of this package."""
    try:
        yield
    except Text2MemError:
        raise
    except Exception as error:  # a framework may raise anything
        raise AdapterError(
            f"{keeper.name} does not answer: {type(error).__name__}", hint="try again"
        ) from error


class OwnVectors(Keeper):
    """A keeper whose items have vectors of ours, and UUIDs as keys."""

    def __init__(
        self, place: str, vectors: Vectors, release: Callable[[], None] | None = None
    ) -> None:
        """``release`` is called on closing. Without it, the caller closes the framework."""
        self._place = place
        self._vectors = vectors
        self._clock = SystemClock()
        self._release = release

    @property
    def place(self) -> str:
        return self._place

    @property
    def vectors(self) -> str:
        return self._vectors.model

    def key(self, origin: str, id_: str) -> str:
        """A UUID made from the origin, the namespace and the id."""
        return str(uuid5(NAMESPACE_URL, f"text2mem:{origin}:{self.place}:{id_}"))

    def close(self) -> None:
        if self._release is not None:
            self._release()
            self._release = None


def supporting(*, native: Sequence[str]) -> dict[str, Support]:
    """The support of every op: ``native`` ones by the framework, all others by the sidecar."""
    return {op: Support.NATIVE if op in native else Support.EMULATED for op in OPS}
