"""Where the dialects of SQL differ: everything that the shared statements leave open.

The statements are written for both of them, with ``:name`` and ``?`` for what is bound. A key is
``pk``, which in SQLite holds the tenant; elsewhere the tenant is a column of its own, and the first
one of every key.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar


class Dialect(ABC):
    """One dialect's fragments. Names of columns and parameters are constants of the code."""

    mine: ClassVar[str]
    """What a condition on keys begins with: ``pk = :pk`` behind it is one memory of the tenant."""
    own: ClassVar[str]
    """The tenant's row of ``tenants``."""
    key: ClassVar[tuple[str, ...]]
    """The columns of a key."""
    join: ClassVar[str]
    """A join in the order that is written."""
    unlimited: ClassVar[int | None]
    """What LIMIT is bound to where there is none."""
    skip_locked: ClassVar[str]
    """What a SELECT of rows to be taken ends with."""
    origin: ClassVar[str]
    """A name at random, of eight letters and digits."""
    facets: ClassVar[str]
    """Whether ``m`` holds each of ``:facets``, of which there are ``:facet_count``."""
    listed: ClassVar[str]
    """Whether the facet ``:facet`` of ``m`` lists ``:entry``."""
    role: ClassVar[str]
    """The role of an episode: the text of that name among its ``facets``."""
    by_keys: ClassVar[str]
    """A condition on tables of memories: the keys of the bound list ``:pks``, by their index."""
    ever_held: ClassVar[str]
    """The ids of all children that memory ``:pk`` has or, by the journal, had."""
    while_held: ClassVar[str]
    """The first and last entry of ``:holder`` that names ``:held``, no longer a parent, as one."""

    @abstractmethod
    def same(self, one: str, other: str) -> str:
        """What a join of two tables by their keys begins with."""

    @abstractmethod
    def array(self, values: Sequence[object]) -> object:
        """A list as it is bound."""

    @abstractmethod
    def among(self, column: str, parameter: str) -> str:
        """Whether a column is in a bound list."""

    @abstractmethod
    def each(self, parameter: str, name: str, *, numbers: bool = False) -> str:
        """A bound list as a table with a column ``value``."""

    @abstractmethod
    def holds(self, column: str, parameter: str) -> str:
        """Whether a column's JSON list holds a text."""

    @abstractmethod
    def facet(self, name: str) -> str:
        """A facet's name as ``listed`` binds it."""
