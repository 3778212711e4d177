"""The server of the page. It listens on the loopback only."""

from __future__ import annotations

import secrets
from collections.abc import Callable

import uvicorn

from text2mem.doors.listening import listen, printed
from text2mem.doors.ui.app import build
from text2mem.doors.ui.guard import TOKEN, Guard
from text2mem.doors.ui.visit import House
from text2mem.errors import ConfigurationError
from text2mem.services.destinations import literal

_GRACE = 2
"""Seconds that open requests have to end when the server stops."""


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
    house: House, host: str, port: int, token: str | None = None, *, ready: Callable[[str], None]
) -> None:
    """Serve until the process is told to stop, on a host that ``check_host`` returned; port 0 is
    any free one. ``ready`` is called with the address, which includes the token, when the server
    listens. Raises ConfigurationError if it cannot."""
    secret = token or secrets.token_urlsafe(32)
    with listen(host, port, hint="choose another port with --port; 0 is a free one") as listening:
        name, chosen = listening.getsockname()[:2]
        server = made(house, Guard(chosen, secret, name))
        ready(f"http://{printed(name)}:{chosen}/?{TOKEN}={secret}")
        server.run(sockets=[listening])


def made(house: House, guard: Guard) -> uvicorn.Server:
    """Return the server of a store, which does not listen yet."""
    return uvicorn.Server(uvicorn.Config(
        build(house, guard), log_config=None, log_level="warning", access_log=False,
        server_header=False, ws="none", lifespan="off", proxy_headers=False,
        timeout_graceful_shutdown=_GRACE,
    ))  # fmt: skip
