"""The fragments of SQL in which SQLite and Postgres differ. Parameters are written ``:name`` or
``?``. A key is the column ``pk``. In SQLite it contains the tenant's number; in Postgres the tenant
is the first column of every key."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

UNLIMITED = 2**62
"""The value bound to LIMIT for no limit."""


class Dialect(ABC):
    """The fragments of one dialect. Names of columns and parameters are constants of the code."""

    mine: ClassVar[str]
    """The condition on the tenant before a condition on ``pk``, with ``AND``; empty if ``pk``
    contains the tenant."""
    own: ClassVar[str]
    """The condition for the tenant's row of ``tenants``."""
    key: ClassVar[tuple[str, ...]]
    """The columns of a key."""
    join: ClassVar[str]
    """A join whose tables are read in the order in which they are written."""
    skip_locked: ClassVar[str]
    """The end of a SELECT that locks rows and skips those that are locked."""
    facets: ClassVar[str]
    """The condition that memory ``m`` has all of the facets ``:facets``, whose number is
    ``:facet_count``."""
    listed: ClassVar[str]
    """The condition that the list in facet ``:facet`` of memory ``m`` contains ``:entry``."""
    role: ClassVar[str]
    """An expression for the role of an episode, which is a facet."""
    by_keys: ClassVar[str]
    """The condition that a row's key is one of the bound list ``:pks``; it uses the key's index."""

    def same(self, one: str, other: str) -> str:
        """The condition that two tables' tenants are equal, with ``AND``, for a join by key; empty
        if ``pk`` contains the tenant."""
        return f"{one}.tenant = {other}.tenant AND " if self.mine else ""

    @abstractmethod
    def array(self, values: Sequence[object]) -> object:
        """A list in the form in which it is bound."""

    @abstractmethod
    def among(self, column: str, parameter: str) -> str:
        """The condition that a column's value is in a bound list."""

    @abstractmethod
    def each(self, parameter: str, name: str, *, numbers: bool = False) -> str:
        """A table ``name`` with the entries of a bound list in its column ``value``."""

    @abstractmethod
    def holds(self, column: str, parameter: str) -> str:
        """The condition that a column's JSON list contains a bound text."""
