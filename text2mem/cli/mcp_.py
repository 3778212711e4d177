"""``text2mem mcp``: serve a store by the Model Context Protocol."""

from __future__ import annotations

import secrets

import click

from text2mem.cli.services import Serving, serving_options


@click.command("mcp")
@click.option(
    "--http",
    "listen",
    metavar="HOST:PORT",
    help="Serve HTTP there, in place of stdin and stdout. Port 0 is a free one.",
)
@click.option(
    "--allow-host",
    "names",
    multiple=True,
    metavar="NAME",
    help="A name under which --http is reached beside its address. Repeatable.",
)
@serving_options(
    "TEXT2MEM_MCP_TOKEN",
    "What clients of --http must bear; without it a new one, which is printed to stderr.",
)
def command(listen: str | None, names: tuple[str, ...], serving: Serving) -> None:
    """Serve a store to a client of the Model Context Protocol, over stdin and stdout.

    What would destroy is asked back. Clients get the tenant, the actor and the roles that are
    named here.
    """
    from text2mem.doors.mcp import require

    require()
    from text2mem.doors.agent.verbs import Verbs
    from text2mem.doors.mcp.server import build
    from text2mem.doors.mcp.transports import Address, check_exposure, serve_http, serve_stdio

    token = serving.token
    address = None if listen is None else Address.read(listen)
    if address is not None:
        check_exposure(address, token, names)
    with serving.shared() as shared:
        server = build(Verbs(shared))
        if address is None:
            serve_stdio(server, shared.close)
            return
        secret = token or secrets.token_urlsafe(32)

        def ready(url: str) -> None:
            click.echo(f"listening on {url}", err=True)
            if token is None:
                click.echo(f"token: {secret}", err=True)

        serve_http(server, address, secret, names, close=shared.close, ready=ready)
