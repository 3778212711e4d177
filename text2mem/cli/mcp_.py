"""``text2mem mcp``: a store for clients of the Model Context Protocol."""

from __future__ import annotations

import os
import secrets

import click

from text2mem.cli import options
from text2mem.cli.options import Caller
from text2mem.cli.services import PLANNING_SUMMARISER, Services, service_options

_TOKEN = "TEXT2MEM_MCP_TOKEN"


@click.command("mcp")
@click.option(
    "--http",
    "listen",
    metavar="HOST:PORT",
    help="Serve HTTP there, in place of stdin and stdout. Port 0 is a free one.",
)
@click.option(
    "--token",
    metavar="SECRET",
    help=f"What clients of --http must bear. [{_TOKEN}, a new one that is printed to stderr]",
)
@click.option(
    "--allow-host",
    "names",
    multiple=True,
    metavar="NAME",
    help="A name under which --http is reached beside its address. Repeatable.",
)
@options.model_options
@options.caller_options()
@service_options(PLANNING_SUMMARISER)
def command(
    listen: str | None, token: str | None, names: tuple[str, ...], model: str | None, seed: int,
    attempts: int, caller: Caller, services: Services,
) -> None:  # fmt: skip
    """Serve a store to a client of the Model Context Protocol, over stdin and stdout.

    What would destroy is asked back. Clients get the tenant, the actor and the roles that are
    named here.
    """
    from text2mem.doors.mcp import require

    require()
    from text2mem.doors.mcp.server import build
    from text2mem.doors.mcp.store import open_store
    from text2mem.doors.mcp.transports import Address, check_exposure, serve_http, serve_stdio
    from text2mem.doors.mcp.verbs import Verbs
    from text2mem.planner import Budget

    token = token or os.environ.get(_TOKEN) or None
    address = None if listen is None else Address.read(listen)
    if address is not None:
        check_exposure(address, token, names)
    store = open_store(
        caller.store, caller.context, model=model, embedder=services.embedder,
        summariser=services.summariser, fetcher=services.fetcher(), seed=seed,
        budget=Budget(attempts=attempts),
    )  # fmt: skip
    try:
        server = build(Verbs(store))
        if address is None:
            serve_stdio(server)
            return
        secret = token or secrets.token_urlsafe(32)

        def ready(url: str) -> None:
            click.echo(f"listening on {url}", err=True)
            if token is None:
                click.echo(f"token: {secret}", err=True)

        serve_http(server, address, secret, names, ready=ready)
    finally:
        store.close()
