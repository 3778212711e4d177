"""The transports of a server: stdin and stdout of this process, or HTTP with a bearer token."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import anyio
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from text2mem.doors.agent.talk import TALKS
from text2mem.doors.listening import (
    BODY,
    LOOPBACK,
    Close,
    HttpServer,
    ending_soon,
    host_headers,
    listen,
    printed,
    same_secret,
)
from text2mem.errors import ConfigurationError
from text2mem.services.destinations import literal

PATH = "/mcp"
SHORTEST = 16
"""The fewest characters of a bearer token."""
_KEPT = 60
"""Seconds that an idle connection is kept open: longer than clients keep theirs (5 s is usual), so
that the server closes none that a client is about to use."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server listens."""

    host: str
    port: int

    @classmethod
    def read(cls, text: str) -> Address:
        """Read ``HOST:PORT``, with an IPv6 host in brackets. Raises ConfigurationError."""
        host, _, port = text.rpartition(":")
        host = host.removeprefix("[").removesuffix("]")
        named = bool(host) and (":" not in host or literal(host) is not None)
        if not named or not port.isascii() or not port.isdigit() or int(port) > 65_535:
            raise ConfigurationError(
                f"cannot read '{text}' as an address", hint="write HOST:PORT, as 127.0.0.1:8765"
            )
        return cls(host, int(port))

    @property
    def local(self) -> bool:
        """Whether only this machine reaches it."""
        found = literal(self.host)
        return self.host == "localhost" if found is None else found.is_loopback

    @property
    def anywhere(self) -> bool:
        """Whether it stands for all addresses of the machine, as 0.0.0.0 does."""
        found = literal(self.host)
        return found is not None and found.is_unspecified


def check_exposure(address: Address, token: str | None, names: Sequence[str]) -> None:
    """Raise ConfigurationError for a weak token, an address that other machines reach without a
    token, and an address of all interfaces without ``names``: host names for the Host header."""
    if token is not None and (len(token) < SHORTEST or not token.isascii() or " " in token):
        raise ConfigurationError(
            f"the token must have {SHORTEST} characters or more, of ASCII and without blanks",
            hint="openssl rand -hex 32 makes one",
        )
    if not address.local and token is None:
        raise ConfigurationError(
            f"{address.host} is reached from other machines, and there is no token",
            hint="give one with --token or TEXT2MEM_MCP_TOKEN, or listen on 127.0.0.1",
        )
    if address.anywhere and not names:
        raise ConfigurationError(
            f"{address.host} is no name under which a client could ask for it",
            hint="name it with --allow-host",
        )


class Bearer:
    """ASGI middleware that passes on requests with the token, and answers others with 401, before
    their body is read."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._wanted = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not self._admits(scope):
            refusal = JSONResponse(
                {"error": "invalid_token"}, 401, {"WWW-Authenticate": 'Bearer realm="text2mem"'}
            )
            return await refusal(scope, receive, send)
        await self._app(scope, receive, send)

    def _admits(self, scope: Scope) -> bool:
        given = Headers(scope=scope).getlist("authorization")
        scheme, _, token = (given[0] if len(given) == 1 else "").partition(" ")
        return same_secret(token.strip(" "), self._wanted) and scheme.lower() == "bearer"


def http_app(
    server: Server[Any], address: Address, token: str, names: Sequence[str] = ()
) -> ASGIApp:
    """Return the ASGI application, which checks token, body size, Host and Origin of a request.
    ``names`` are host names under which it is reached besides the address's own."""
    own = list(LOOPBACK) if address.local else [] if address.anywhere else [printed(address.host)]
    hosts = [*host_headers([*own, *names], address.port), *names]
    origins = [f"{scheme}://{host}" for host in hosts for scheme in ("http", "https")]
    app = server.streamable_http_app(
        streamable_http_path=PATH, max_request_body_size=BODY, max_sessions=TALKS,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=True, allowed_hosts=hosts, allowed_origins=origins
        ),
        host=address.host,
    )  # fmt: skip
    return Bearer(app, token)


def serve_http(
    server: Server[Any],
    address: Address,
    token: str,
    names: Sequence[str] = (),
    *,
    close: Close,
    ready: Callable[[str], None],
) -> None:
    """Serve HTTP until the process is told to stop; port 0 is any free one. ``ready`` is called
    with the URL when the server listens, ``close`` at the end. Raises ConfigurationError if it
    cannot, and what ``check_exposure`` raises."""
    check_exposure(address, token, names)
    host = "127.0.0.1" if address.host == "localhost" else address.host
    listening = listen(host, address.port, hint="choose another port with --http HOST:PORT")
    address = Address(address.host, listening.getsockname()[1])
    with listening:
        app = http_app(server, address, token, names)
        http = HttpServer(app, close, lifespan="on", timeout_keep_alive=_KEPT)
        ready(f"http://{printed(address.host)}:{address.port}{PATH}")
        http.run(sockets=[listening])


def serve_stdio(server: Server[Any], close: Close) -> None:
    """Serve the parent process over stdin and stdout, until it closes stdin."""

    async def run() -> None:
        with ending_soon(close):
            async with stdio_server() as (incoming, outgoing):
                await server.run(incoming, outgoing, server.create_initialization_options())

    try:
        anyio.run(run)
    except* BrokenPipeError:
        # The client has closed the pipe, perhaps in the middle of an answer. Python 3.13 and newer
        # would report that the rest of the buffer cannot be written; the report is suppressed.
        sys.unraisablehook = lambda _: None
