"""What the servers share: a listening socket, Host headers, and the comparison of secrets."""

from __future__ import annotations

import hashlib
import hmac
import socket
from collections.abc import Sequence

from text2mem.errors import ConfigurationError

BODY = 1_000_000
"""The most bytes of a request."""
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
"""The host names of the loopback interface."""
_PLAIN_PORT = 80
"""The default port of HTTP, which a Host header leaves out."""
_BACKLOG = 128


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
