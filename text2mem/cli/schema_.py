"""``text2mem schema``."""

from __future__ import annotations

import click

from text2mem import resources


@click.command("schema")
@click.argument("which", type=click.Choice(["ir", "result"]), default="ir")
def command(which: str) -> None:
    """Print the JSON Schema of programs (ir) or of results (result)."""
    click.echo(resources.read_text("schema", f"{which}.v1.schema.json"), nl=False)
