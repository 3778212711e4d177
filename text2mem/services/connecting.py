"""Connections under one deadline: looking up, connecting and reading all end when it does."""

from __future__ import annotations

import io
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from text2mem.services.destinations import IPAddress


class TooMuch(Exception):
    """A server sent more than it may."""


class Deadline:
    """A point in time, ``seconds`` from now."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds until the end. Raises TimeoutError when there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError("the time is up")
        return left


class TimedStream(io.RawIOBase):
    """Reads from a connection: each within what is left of the deadline, ``limit`` bytes in all.

    ``http.client`` takes it for a socket. Raises TooMuch past the limit, TimeoutError past the end.
    """

    def __init__(self, connection: socket.socket, deadline: Deadline, limit: int) -> None:
        self._connection = connection
        self._deadline = deadline
        self._limit = limit

    def makefile(self, mode: str) -> io.BufferedReader:
        """What HTTPResponse asks a socket for."""
        return io.BufferedReader(self)

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """What has come, as many bytes as fit."""
        self._connection.settimeout(self._deadline.left())
        count = self._connection.recv_into(buffer)
        self._limit -= count
        if self._limit < 0:
            raise TooMuch
        return count


@contextmanager
def connected(
    addresses: Sequence[IPAddress], port: int, deadline: Deadline
) -> Iterator[socket.socket]:
    """A connection to the first address that answers; the last one's OSError where none does."""
    for waiting, address in zip(range(len(addresses), 0, -1), addresses, strict=True):
        try:
            connection = socket.create_connection((str(address), port), deadline.left() / waiting)
        except OSError:
            if waiting == 1:
                raise
            continue
        with connection:
            yield connection
            return
