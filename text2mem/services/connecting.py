"""Connections with one deadline for name look-up, connecting and reading."""

from __future__ import annotations

import io
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from text2mem.errors import FetchRefused
from text2mem.services.destinations import IPAddress


def too_large() -> FetchRefused:
    """For more bytes than allowed."""
    return FetchRefused("too-large", "the page is larger than pages may be")


class Deadline:
    """A point in time, ``seconds`` from now."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Return the seconds until the deadline. Raises TimeoutError if it has passed."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError("the time is up")
        return left


class TimedStream(io.RawIOBase):
    """A stream that reads at most ``limit`` bytes from a connection, until the deadline.

    Raises FetchRefused beyond the limit, and TimeoutError after the deadline.
    """

    def __init__(self, connection: socket.socket, deadline: Deadline, limit: int) -> None:
        self._connection = connection
        self._deadline = deadline
        self._limit = limit

    def makefile(self, mode: str) -> io.BufferedReader:
        """Return a buffered reader, as HTTPResponse asks a socket for."""
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._connection.settimeout(self._deadline.left())
        count = self._connection.recv_into(buffer)
        self._limit -= count
        if self._limit < 0:
            raise too_large()
        return count


@contextmanager
def connected(
    addresses: Sequence[IPAddress], port: int, deadline: Deadline
) -> Iterator[socket.socket]:
    """Yield a connection to the first address that answers.

    The remaining time is shared among the addresses that are left. Raises the OSError of the last.
    """
    for waiting, address in zip(range(len(addresses), 0, -1), addresses, strict=True):
        try:
            connection = socket.create_connection((str(address), port), deadline.left() / waiting)
        except OSError:
            if waiting == 1:
                raise
        else:
            with connection:
                yield connection
            return
