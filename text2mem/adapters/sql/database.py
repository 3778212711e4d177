"""The interface of a database for the shared code: statements, keys, transactions, errors, and the
fragments of SQL in which SQLite and Postgres differ."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import Any, ClassVar, Protocol

from text2mem.errors import StoreError

UNLIMITED = 2**62
"""The value bound to LIMIT for no limit."""


class Dialect(ABC):
    """The fragments of one dialect. A parameter is written ``:name`` or ``?``. A key is the column
    ``pk``. In SQLite it contains the tenant's number; in Postgres the tenant is the first column of
    every key. Names of columns and parameters are constants of the code."""

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


class Cursor(Protocol):
    """The result of a statement. The columns of a row are accessed by name or by position."""

    @property
    def rowcount(self) -> int:
        """How many rows the statement changed."""

    def fetchone(self) -> Any:
        """The next row; None after the last."""

    def fetchall(self) -> list[Any]:
        """The remaining rows."""

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the remaining rows."""

    def close(self) -> None:
        """Drop the remaining rows."""


class Database(ABC):
    """A connection to a database, bound to one tenant. Each backend implements it."""

    dialect: ClassVar[Dialect]
    faults: tuple[type[Exception], ...]
    """The exceptions of a damaged database, of a row that cannot be read, of a lost connection."""
    name: str
    """The database's name in messages."""
    number: object
    """The value that ``:tenant`` is bound to."""

    def __init__(self) -> None:
        self.lock = RLock()
        """Held during a call and during a transaction, since all threads share one connection."""
        self.closed = False

    def require_open(self) -> None:
        """Raise StoreError if the database has been closed."""
        if self.closed:
            raise StoreError(f"{self.name} has been closed", hint="open the store again")

    def close(self) -> None:
        """Close, after another thread's transaction has ended. Closing twice is no error."""
        with self.lock:
            if not self.closed:
                self.closed = True
                self._close()

    @abstractmethod
    def _close(self) -> None:
        """Release the connection, or give it back to its pool."""

    @abstractmethod
    def execute(self, sql: str, **parameters: object) -> Cursor:
        """Execute a statement with named parameters; ``:tenant`` is always bound. Raises
        ConfigurationError for a text that the database cannot hold."""

    @abstractmethod
    def many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """Execute a statement once for each row of parameters, which are bound by position."""

    @property
    @abstractmethod
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""

    @abstractmethod
    def open(self, *, write: bool) -> None:
        """Begin a transaction. Raises StoreBusy if the lock for writing is not free in time."""

    @abstractmethod
    def commit(self) -> None:
        """Commit the transaction."""

    @abstractmethod
    def rollback(self) -> None:
        """Roll the transaction back, if one is open."""

    @abstractmethod
    def pk(self, id_: str) -> int:
        """The key (column ``pk``) of a memory of this tenant."""

    @abstractmethod
    def has(self, tenant: str) -> bool:
        """Whether a tenant of this name exists in the database."""

    @abstractmethod
    def size(self) -> int | None:
        """The size of the database in bytes; None if unknown."""

    @abstractmethod
    def overlaps(self, error: Exception) -> bool:
        """Whether a constraint was violated because versions of a fact would overlap."""

    @abstractmethod
    def busy(self, error: BaseException) -> bool:
        """Whether a fault means that another program holds a lock."""

    @abstractmethod
    def malformed(self, error: BaseException) -> bool:
        """Whether a fault means that a stored text is not valid JSON."""

    @abstractmethod
    def said(self, error: BaseException) -> str:
        """The message of a fault, without stored values."""

    @abstractmethod
    def hint(self, error: BaseException) -> str:
        """The hint for a fault: what to do about it."""

    @abstractmethod
    def cause(self, error: BaseException) -> BaseException | None:
        """The fault as the cause of another error; None if it quotes stored values."""

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Run the body in a transaction that writes. No transaction may be open."""
        self.open(write=True)
        try:
            yield
            self.commit()
        except BaseException:
            self.rollback()
            raise

    def rows(self, sql: str, **parameters: object) -> list[Any]:
        """All rows of a query."""
        return self.execute(sql, **parameters).fetchall()

    def scalar(self, sql: str, **parameters: object) -> Any:
        """The first column of the first row; None if there is no row."""
        row = self.execute(sql, **parameters).fetchone()
        return None if row is None else row[0]
