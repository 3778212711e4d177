"""``text2mem grammar``: print the grammar of programs."""

from __future__ import annotations

import click

from text2mem import resources


@click.command("grammar")
@click.argument("which", type=click.Choice(["gbnf", "lark"]), default="gbnf")
def command(which: str) -> None:
    """Print the grammar of programs, for a decoder that takes GBNF or Lark."""
    click.echo(resources.read_text("grammars", f"ir.v1.{which}"), nl=False)
