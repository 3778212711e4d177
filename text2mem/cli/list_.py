"""``text2mem list``: what a store holds in sight."""

from __future__ import annotations

import click

from text2mem.cli import options, show
from text2mem.cli.options import Caller
from text2mem.cli.services import Services


@click.command("list")
@click.option("--tag", "tags", metavar="TAG", multiple=True, help="With this tag. Repeatable.")
@click.option("--limit", type=click.IntRange(1), default=100, show_default=True, help="How many.")
@options.caller_options(time=False)
@options.output_options
def command(tags: tuple[str, ...], limit: int, caller: Caller, form: str | None) -> None:
    """The memories in sight, the newest first: id, text, tags.

    As JSON a row each. What is archived or deleted is not in sight; `text2mem show ID` has it.
    """
    from text2mem.ir.effects import row_in_words
    from text2mem.ir.record import as_row

    with Services("none").memory(caller.of_existing_store()) as memory:
        rows = [as_row(record) for record in memory.list(tags=tags, limit=limit)]
    show.rows(rows, form, lambda row: row_in_words(row).replace("\n", "\n    "))
    if not rows and show.for_people(form):
        click.echo("no memories", err=True)
