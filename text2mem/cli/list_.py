"""``text2mem list``: list the memories in sight, or those that are archived or deleted."""

from __future__ import annotations

import click

from text2mem.cli import options, show
from text2mem.cli.options import Caller
from text2mem.ir.effects import row_in_words
from text2mem.ir.ports import Away
from text2mem.ir.record import as_row


@click.command("list")
@click.option("--tag", "tags", metavar="TAG", multiple=True, help="With this tag. Repeatable.")
@click.option("--limit", type=click.IntRange(1), default=100, show_default=True, help="How many.")
@click.option("--archived", "state", flag_value="archived", help="What is archived, instead.")
@click.option("--deleted", "state", flag_value="deleted", help="What is deleted, instead.")
@options.caller_options()
@options.output_options
def command(tags: tuple[str, ...], limit: int, state: Away | None, caller: Caller) -> None:
    """The memories in sight: id, text, tags, and what is set on each.

    They come by time, the latest first: by a memory's own time, else by when it was kept; of one
    second the one made last is first. Text has the times of memories, reminders and ends, as they
    are in --tz. As JSON a row each. `text2mem show ID` has all of one, and how it came about.
    """
    from text2mem.planner.effects import standing

    context = caller.context
    with caller.of_existing_store().memory() as memory:
        records = memory.list(tags=tags, limit=limit, state=state)
    for record in records:
        row = as_row(record)
        if show.for_people():
            states = ", ".join(standing(record, context.clock.now(), context.tz))
            text = row_in_words(row).replace("\n", "\n    ")
            show.line(f"{text}  ({states})" if states else text)
        else:
            show.emit(row)
    if not records and show.for_people():
        click.echo("no memories", err=True)
