"""What the servers share: sockets, Host headers, the comparison of secrets, and a prompt end."""

from __future__ import annotations

import hashlib
import hmac
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Thread
from types import FrameType
from typing import Any

import uvicorn

from text2mem.errors import ConfigurationError

BODY = 1_000_000
"""The most bytes of a request."""
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
"""The host names of the loopback interface."""
_PLAIN_PORT = 80
"""The default port of HTTP, which a Host header leaves out."""
_BACKLOG = 128
_GRACE = 1
"""Seconds that open requests have to end when the server stops."""
_PATIENCE = 0.25
"""Seconds after these until the process ends; and that a call may then still use the store."""

Close = Callable[[float], object]
"""Closes a store, unless it is in use for so many seconds."""


class HttpServer(uvicorn.Server):
    """A server of HTTP for a store. After a signal its process ends soon, with ``close``."""

    def __init__(self, app: Any, close: Close, **options: Any) -> None:
        super().__init__(uvicorn.Config(
            app, log_config=None, log_level="warning", access_log=False, server_header=False,
            ws="none", timeout_graceful_shutdown=_GRACE, **options,
        ))  # fmt: skip
        self._close = close

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        _end_soon(self._close, sig)
        super().handle_exit(sig, frame)


@contextmanager
def ending_soon(close: Close) -> Iterator[None]:
    """Let the process end soon after Ctrl-C, with ``close``; its present handler is called, too."""
    present = signal.getsignal(signal.SIGINT)

    def interrupted(number: int, frame: FrameType | None) -> None:
        _end_soon(close, number)
        if callable(present):
            present(number, frame)

    if present != signal.SIG_IGN:
        signal.signal(signal.SIGINT, interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, present)


def _end_soon(close: Close, number: int) -> None:
    """End the process after the grace with the exit code of a signal, if it has not ended by then.

    Python would wait for threads in which a model still thinks; what these read is not written.
    """

    def end() -> None:
        time.sleep(_GRACE + _PATIENCE)
        close(_PATIENCE)
        os._exit(128 + number)

    Thread(target=end, daemon=True).start()


def same_secret(one: str, other: str) -> bool:
    """Whether two secrets are equal. The time it takes does not depend on where they differ."""
    digests = (hashlib.sha256(each.encode("utf-8", "replace")).digest() for each in (one, other))
    return hmac.compare_digest(*digests)


def printed(host: str) -> str:
    """Return a host as it is written in a URL: an IPv6 address in brackets."""
    return f"[{host}]" if ":" in host else host


def host_headers(names: Sequence[str], port: int) -> list[str]:
    """Return the Host headers that a request to one of these names may have."""
    return [f"{name}:{port}" for name in names] + (list(names) if port == _PLAIN_PORT else [])


def listen(host: str, port: int, *, hint: str) -> socket.socket:
    """Return a listening socket. Raises ConfigurationError with ``hint`` if the port is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        raise ConfigurationError(
            f"cannot listen on {printed(host)}:{port}: {error.strerror or error}", hint=hint
        ) from error
