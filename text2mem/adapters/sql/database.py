"""A database as the shared code sees it: statements, keys, transactions, errors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import Any, ClassVar, Protocol

from text2mem.adapters.sql.dialect import Dialect
from text2mem.errors import StoreError


class Cursor(Protocol):
    """What a statement has found; a row goes by names and by places."""

    @property
    def rowcount(self) -> int:
        """How many rows it has touched."""

    def fetchone(self) -> Any:
        """The next row, None after the last."""

    def fetchall(self) -> list[Any]:
        """The rows that are left."""

    def __iter__(self) -> Iterator[Any]:
        """The rows that are left, one by one."""


class Database(ABC):
    """One tenant's share of a database; each backend does these things in its own way."""

    dialect: ClassVar[Dialect]
    faults: tuple[type[Exception], ...]
    """What a damaged database, a row that cannot be read, or a failed connection raises."""
    violations: tuple[type[Exception], ...]
    """What a constraint of the database raises."""
    name: str
    """The database, as messages name it."""
    number: object
    """What ``:tenant`` is bound to."""

    def __init__(self) -> None:
        self.lock = RLock()
        """Held for a call, and by whoever has a transaction open: it is one connection."""
        self.closed = False

    def require_open(self) -> None:
        """Raises StoreError where it has been closed."""
        if self.closed:
            raise StoreError(f"{self.name} has been closed", hint="open the store again")

    def close(self) -> None:
        """Release what is held, once another thread's transaction has ended; twice is no error."""
        with self.lock:
            if not self.closed:
                self.closed = True
                self._close()

    @abstractmethod
    def _close(self) -> None:
        """Release the connection, or what is lent of a pool."""

    @abstractmethod
    def execute(self, sql: str, **parameters: object) -> Cursor:
        """One statement with named parameters; ``:tenant`` is always the tenant's.

        Raises ConfigurationError for a text that the database cannot hold.
        """

    @abstractmethod
    def many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """One statement for each row of what is bound by position."""

    @property
    @abstractmethod
    def in_transaction(self) -> bool:
        """Whether a transaction has begun and is not over."""

    @abstractmethod
    def open(self, *, write: bool) -> None:
        """Begin a transaction. Raises StoreBusy where others do not let one write in time."""

    @abstractmethod
    def control(self, statement: str) -> None:
        """Begin, keep or undo a savepoint by a statement."""

    @abstractmethod
    def commit(self) -> None:
        """End the transaction and keep it."""

    @abstractmethod
    def rollback(self) -> None:
        """End the transaction and keep nothing; nothing where there is none."""

    @abstractmethod
    def pk(self, id_: str) -> int:
        """The key under which a memory of this tenant is stored."""

    @abstractmethod
    def has(self, tenant: str) -> bool:
        """Whether the database holds another tenant."""

    @abstractmethod
    def size(self) -> int | None:
        """The bytes that everything takes; None where nobody knows."""

    @abstractmethod
    def overlaps(self, error: Exception) -> bool:
        """Whether a violation is that two versions of a fact would hold at once."""

    @abstractmethod
    def busy(self, error: BaseException) -> bool:
        """Whether a fault is that another program holds what is needed, for now."""

    @abstractmethod
    def malformed(self, error: BaseException) -> bool:
        """Whether the database says that a stored text is no JSON."""

    @abstractmethod
    def said(self, error: BaseException) -> str:
        """The message of a fault, without any stored value."""

    @abstractmethod
    def hint(self, error: BaseException) -> str:
        """What to do about it."""

    @abstractmethod
    def cause(self, error: BaseException) -> BaseException | None:
        """What another error is chained to: the fault, or None where it quotes stored values."""

    @contextmanager
    def alone(self) -> Iterator[None]:
        """A transaction of its own, to write, begun outside of any other one."""
        self.open(write=True)
        try:
            yield
            self.commit()
        except BaseException:
            self.rollback()
            raise

    # --- statements ------------------------------------------------------------------------

    def scalar(self, sql: str, **parameters: object) -> Any:
        """The first column of the first row, None where there is none."""
        row = self.execute(sql, **parameters).fetchone()
        return None if row is None else row[0]
