"""``text2mem pending``: list facts that wait, approve or reject them."""

from __future__ import annotations

from typing import Any

import click

from text2mem.cli import options, show
from text2mem.cli.lasting import lasting
from text2mem.cli.main import FAILED, failure_code
from text2mem.cli.options import Caller
from text2mem.errors import Text2MemError
from text2mem.ir.values import as_text


@click.command("pending")
@click.option("--approve", "approved", multiple=True, metavar="ID", help="Approve a fact.")
@click.option("--reject", "rejected", multiple=True, metavar="ID", help="Delete a fact.")
@options.caller_options()
@options.output_options
@lasting
def command(approved: tuple[str, ...], rejected: tuple[str, ...], caller: Caller) -> int:
    """List the facts that wait for a yes or for more evidence; approve or reject them.

    Each is a program of its own, which `text2mem undo` takes back by its trace.
    """
    from text2mem.ledger.pending import pending_row

    code = 0
    with caller.of_existing_store().memory() as memory:
        answers = [(id_, memory.approve) for id_ in approved]
        answers += [(id_, memory.reject) for id_ in rejected]
        for id_, answer in answers:
            try:
                result = answer(id_)
            except Text2MemError as error:
                code = max(code, failure_code(error))
                show.complain(error.message, error.hint)
                show.show_last_error(error)
                continue
            code = max(code, 0 if result.ok else FAILED)
            show.result(result, caller.context.tz)
        if answers:
            return code
        rows = [pending_row(record) for record in memory.pending()]
    show.rows(rows, _in_words, nothing="nothing waits")
    if rows and show.for_people():
        show.line("text2mem pending --approve ID lets one count, --reject ID deletes it", "dim")
    return 0


def _in_words(row: dict[str, Any]) -> str:
    what = f"[{row['id']}] {row['subject']}.{row['attribute']} = {as_text(row['value'])}"
    heard = f" (heard in e{row['source_episode_id']})" if row["source_episode_id"] else ""
    return f"{what}{heard}: {row['waits'] or 'it is too unsure'}"
