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
def command(limit: int, id_: str | None, caller: Caller, form: str | None) -> int:
    """The last programs that changed something, newest first, with their memories.

    Text has times as they are in --tz. As JSON a row each. The trace is what `text2mem undo` takes.
    """
    with caller.of_existing_store().adapter() as adapter:
        if id_ is None:
            programs = history.log(adapter, caller.context, limit=limit)
            if show.for_people(form):
                show_log(programs, caller.context.tz)
            else:
                for program in programs:
                    show.emit(program.as_dict())
            return 0
        entries = history.history(adapter, caller.context, id_)[::-1][:limit]
    if not entries:
        raise ExecutionError("not-found", f"there is no memory {id_}")
    if show.for_people(form):
        show_entries(entries, caller.context.tz)
    else:
        for entry in entries:
            show.emit(entry.as_dict())
    return 0
