"""The outbox of a tenant: which memories a framework beside the store has still to be told of.

``mark`` belongs into the transaction of the change, so that no change is forgotten. ``delivered``
belongs into the one in which the memories were read and handed over: nobody changes them meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol


class Outbox(Protocol):
    """One tenant's. It holds ids and the keys that a framework keeps memories under, no content."""

    def begin(self, keeper: str, vectors: str) -> None:
        """Mirror in this framework from now on, where it holds vectors of this model.

        One that is new here is to be told everything, and so is one of another model.
        """
        ...

    @property
    def origin(self) -> str:
        """What the keys begin with that this store gives to its memories."""
        ...

    @property
    def removed(self) -> int:
        """How many memories have left the framework since it was last cleaned."""
        ...

    def cleaned(self, removed: int) -> None:
        """The framework holds nothing any more of the first ``removed``."""
        ...

    def mark(self, ids: Iterable[str]) -> None:
        """These memories have changed, or are gone. Within the caller's transaction."""
        ...

    def waiting(self, limit: int) -> Sequence[str]:
        """Ids that are to be told, in their order."""
        ...

    def delivered(self, kept: Mapping[str, str], gone: Iterable[str]) -> None:
        """Held under these keys by id, and not held any more. Within the caller's transaction."""
        ...

    def adopt(self, id_: str, key: str) -> None:
        """A memory is held under this key already, which is not one of ours."""
        ...

    def keys(self, ids: Sequence[str]) -> Mapping[str, str]:
        """The keys of those of the memories that are held, by id."""
        ...

    def ids(self, keys: Sequence[str]) -> Mapping[str, str]:
        """The ids behind keys, by key."""
        ...

    def held(self, after: str, limit: int) -> Sequence[str]:
        """Ids of memories that are held, past an id, in their order."""
        ...
