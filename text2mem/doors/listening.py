"""What servers share: a listening socket, loopback names, and the comparison of secrets."""

from __future__ import annotations

import hashlib
import hmac
import socket
from collections.abc import Sequence

from text2mem.errors import ConfigurationError

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
"""The names by which a machine reaches itself."""
_PLAIN_PORT = 80
"""The port that a client of HTTP leaves out."""
_BACKLOG = 128


def same_secret(one: bytes, other: bytes) -> bool:
    """Whether two secrets are equal, in a time that does not depend on them or their lengths."""
    digests = (hashlib.sha256(each).digest() for each in (one, other))
    return hmac.compare_digest(*digests)


def printed(host: str) -> str:
    """A host as in a URL: an IPv6 address in brackets."""
    return f"[{host}]" if ":" in host else host


def host_headers(names: Sequence[str], port: int) -> list[str]:
    """What the Host header of a request to one of these names may be."""
    return [f"{name}:{port}" for name in names] + (list(names) if port == _PLAIN_PORT else [])


def listen(host: str, port: int, *, hint: str) -> socket.socket:
    """A listening socket. Raises ConfigurationError with ``hint`` where the port is not free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        raise ConfigurationError(
            f"cannot listen on {printed(host)}:{port}: {error.strerror or error}", hint=hint
        ) from error
