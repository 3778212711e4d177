"""``text2mem ui``: serve a local page to look into a store."""

from __future__ import annotations

import click

from text2mem.cli.services import Serving, serving_options


@click.command("ui")
@click.option("--host", default="127.0.0.1", show_default=True, help="A loopback address.")
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=8766, show_default=True,
    help="Where to listen. 0 is a free one.",
)  # fmt: skip
@serving_options(
    "TEXT2MEM_UI_TOKEN",
    "The token of the address that is printed, good once; without it a new one.",
)
def command(host: str, port: int, serving: Serving) -> None:
    """Look into a store with a browser of this machine, until Ctrl-C.

    The address that is printed lets one browser in, once. The page reads and writes as the tenant,
    the actor and the roles that are named here.
    """
    from text2mem.doors.ui import require

    require()
    from text2mem.doors.ui.serving import serve
    from text2mem.doors.ui.visit import Session

    serving.caller.of_existing_store()
    with serving.shared() as shared:
        serve(
            Session(shared), host, port, serving.token,
            ready=lambda address: click.echo(f"open {address}", err=True),
        )  # fmt: skip
