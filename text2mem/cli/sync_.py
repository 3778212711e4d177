"""``text2mem sync``: import what others have changed in a memory framework."""

from __future__ import annotations

import click

from text2mem.cli import options, show
from text2mem.cli.options import Caller
from text2mem.cli.services import ServiceOptions, embedder_option


@click.command("sync")
@options.caller_options(dry_run=True, yes=True)
@embedder_option
@options.output_options
def command(caller: Caller, embedder: str | None) -> None:
    """Deliver what a memory framework has not got yet, and take in what others changed there.

    What is new there becomes a memory, what was changed an Update, and what is gone a Delete. All
    of it has one trace, which `text2mem undo` takes back. A lock of ours is kept.
    """
    from text2mem.mirroring import sync

    prepared = ServiceOptions(embedder=embedder).prepared()
    with caller.of_existing_store().adapter() as adapter:
        found = sync(adapter, caller.context, prepared)
    if not show.for_people():
        show.emit(found.as_dict())
        return
    dry = " (dry run)" if found.dry_run else ""
    for kind in ("new", "changed", "gone"):
        ids = getattr(found, kind)
        click.echo(f"{kind}: {', '.join(ids) or 'nothing'}{dry}")
    for each in found.refused:
        click.echo(show.visible(f"refused: {each.key}: {each.reason}"))
    for warning in found.warnings:
        click.echo(f"note: {warning}", err=True)
    if not found.dry_run and (found.new or found.changed or found.gone):
        click.echo(f"trace {found.trace_id}")
