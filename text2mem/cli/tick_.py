"""``text2mem tick``: carry out what is due."""

from __future__ import annotations

import click

from text2mem.cli import options, show
from text2mem.cli.options import Caller


@click.command("tick")
@options.caller_options(dry_run=True)
@options.output_options
def command(caller: Caller) -> None:
    """Carry out the expiries that are due, fire reminders, and finish erasures.

    Every program carries out expiries first, so this is for reminders, and for a store that nobody
    uses: run it every minute or so. A reminder fires once, for whoever may read its memory.
    """
    from text2mem.executor import tick

    with caller.of_existing_store().adapter() as adapter:
        result = tick(adapter, caller.context)
    if show.for_people():
        from text2mem.cli.past import show_tick

        show_tick(result, caller.context.tz)
    else:
        show.emit(result.as_dict())
