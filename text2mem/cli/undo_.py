"""``text2mem undo``: undo a program."""

from __future__ import annotations

import click

from text2mem.cli import options, show
from text2mem.cli.options import Caller
from text2mem.cli.services import embedder_option


@click.command("undo")
@click.argument("trace_id")
@click.option("--force", is_flag=True, help="Put back what has not been changed since.")
@options.caller_options(dry_run=True, yes=True)
@embedder_option
@options.output_options
def command(trace_id: str, force: bool, caller: Caller, embedder: str | None) -> int:
    """Put back what the program TRACE_ID changed; it is in its result, and in `text2mem log`.

    Refused where its memories have been changed since. An undo is a program, too, and can itself be
    undone. What was erased or anonymised does not come back.
    """
    with caller.of_existing_store().memory(embedder) as memory:
        result = memory.undo(trace_id, force=force)
    show.result(result, caller.context.tz)
    return 0 if result.ok else 1
