"""``text2mem log``: list the programs that changed something."""

from __future__ import annotations

import click

from text2mem.cli import options, show
from text2mem.cli.options import Caller
from text2mem.cli.past import show_entries, show_log
from text2mem.errors import ExecutionError
from text2mem.executor import history


@click.command("log")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="How many.")
@click.option("--id", "id_", metavar="ID", help="The changes of this memory instead.")
@options.caller_options()
@options.output_options
def command(limit: int, id_: str | None, caller: Caller) -> None:
    """The last programs that changed something, newest first, with their memories.

    Text has times as they are in --tz. As JSON a row each. The trace is what `text2mem undo` takes.
    """
    with caller.of_existing_store().adapter() as adapter:
        programs = history.log(adapter, caller.context, limit=limit) if id_ is None else []
        entries = [] if id_ is None else history.history(adapter, caller.context, id_)
    if id_ is not None and not entries:
        raise ExecutionError("not-found", f"there is no memory {id_}")
    entries = entries[::-1][:limit]
    if show.for_people():
        show_log(programs, caller.context.tz)
        show_entries(entries, caller.context.tz)
    else:
        for row in [each.as_dict() for each in programs] + [each.as_dict() for each in entries]:
            show.emit(row)
