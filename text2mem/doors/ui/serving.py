"""The server of the page. It listens on the loopback only."""

from __future__ import annotations

import secrets
from collections.abc import Callable

from text2mem.doors.listening import HttpServer, listen, printed
from text2mem.doors.ui.app import build
from text2mem.doors.ui.guard import TOKEN, Guard, check_token
from text2mem.doors.ui.visit import Session
from text2mem.errors import ConfigurationError
from text2mem.services.destinations import literal


def check_host(host: str) -> str:
    """Return the address of a loopback host. Raises ConfigurationError for any other one."""
    name = "127.0.0.1" if host == "localhost" else host.removeprefix("[").removesuffix("]")
    found = literal(name)
    if found is None or not found.is_loopback:
        raise ConfigurationError(
            f"{host} is reached from other machines, and this page is for this one alone",
            hint="leave --host out; over ssh, forward the port: ssh -L 8766:127.0.0.1:8766",
        )
    return name


def serve(
    session: Session,
    host: str,
    port: int,
    token: str | None = None,
    *,
    ready: Callable[[str], None],
) -> None:
    """Serve until the process is told to stop; port 0 is any free one. ``ready`` is called with the
    address, which includes the token, when the server listens. Raises ConfigurationError if it
    cannot, if other machines reach the host, and for a weak token."""
    host = check_host(host)
    secret = token or secrets.token_urlsafe(32)
    check_token(secret)
    with listen(host, port, hint="choose another port with --port; 0 is a free one") as listening:
        name, chosen = listening.getsockname()[:2]
        server = http_server(session, Guard(chosen, secret, name))
        ready(f"http://{printed(name)}:{chosen}/?{TOKEN}={secret}")
        server.run(sockets=[listening])


def http_server(session: Session, guard: Guard) -> HttpServer:
    """Return the server of a store, which does not listen yet."""
    return HttpServer(
        build(session, guard), session.shared.close, lifespan="off", proxy_headers=False
    )
