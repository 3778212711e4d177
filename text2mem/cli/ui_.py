"""``text2mem ui``: a local page to look into a store."""

from __future__ import annotations

import os

import click

from text2mem.cli import options
from text2mem.cli.options import Caller
from text2mem.cli.services import PLANNING_SUMMARISER, Services, service_options

_TOKEN = "TEXT2MEM_UI_TOKEN"


@click.command("ui")
@click.option("--host", default="127.0.0.1", show_default=True, help="A loopback address.")
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=8766, show_default=True,
    help="Where to listen. 0 is a free one.",
)  # fmt: skip
@click.option(
    "--token",
    metavar="SECRET",
    help=f"The token of the address that is printed, good once. [{_TOKEN}, a new one]",
)
@options.model_options
@options.caller_options()
@service_options(PLANNING_SUMMARISER)
def command(
    host: str, port: int, token: str | None, model: str | None, seed: int, attempts: int,
    caller: Caller, services: Services,
) -> None:  # fmt: skip
    """Look into a store with a browser of this machine, until Ctrl-C.

    The address that is printed lets one browser in, once. The page reads and writes as the tenant,
    the actor and the roles that are named here.
    """
    from text2mem.doors.ui import require

    require()
    from text2mem.doors.mcp.store import open_store
    from text2mem.doors.ui.guard import check_token
    from text2mem.doors.ui.serving import check_host, serve
    from text2mem.doors.ui.visit import House
    from text2mem.planner import Budget

    caller.of_existing_store()
    token = token or os.environ.get(_TOKEN) or None
    if token is not None:
        check_token(token)
    check_host(host)
    store = open_store(
        caller.store, caller.context, model=model, embedder=services.embedder,
        summariser=services.summariser, fetcher=services.fetcher(), seed=seed,
        budget=Budget(attempts=attempts),
    )  # fmt: skip
    try:
        serve(House(store), host, port, token, ready=_opened)
    finally:
        store.close()


def _opened(address: str) -> None:
    click.echo(f"open {address}", err=True)
