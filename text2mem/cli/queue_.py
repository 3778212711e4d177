"""``text2mem queue``: list the episodes that wait to be read, or that were given up."""

from __future__ import annotations

from typing import Any

import click

from text2mem.cli import options, show
from text2mem.cli.options import Caller


@click.command("queue")
@click.option("--dead", is_flag=True, help="Those that were given up.")
@click.option(
    "--retry", "again", multiple=True, metavar="ID|all", help="Give them another try. Repeatable."
)
@options.caller_options()
@options.output_options
def command(dead: bool, again: tuple[str, ...], caller: Caller) -> int:
    """List the episodes that wait for a worker, a row each; those given up with the last error."""
    from text2mem.ledger.working import retry, task_row, tasks

    with caller.of_existing_store().memory() as memory:
        if again:
            count = retry(memory.ledger, None if "all" in again else again)
            show.row({"retried": count}, f"{count} to be tried again")
            return 0 if count else 1
        rows = [task_row(task) for task in tasks(memory.ledger, dead=dead)]
    nothing = "nothing was given up" if dead else "nothing waits"
    show.rows(rows, _in_words, nothing=nothing)
    return 0


def _in_words(row: dict[str, Any]) -> str:
    error = f", {row['error']}" if row["error"] else ""
    tries = f"{row['attempts']} tries{error}"
    return f"episode {row['episode']}, since {row['queued_at']}, {tries}"
