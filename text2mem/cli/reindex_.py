"""``text2mem reindex``: rebuild the index of words, and make missing vectors."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from text2mem.cli import options, show
from text2mem.cli.services import embedder_option

_ALL = 2**62
"""A limit above the number of memories of any store."""


@click.command("reindex")
@options.store_options
@embedder_option
@click.option("--afresh", is_flag=True, help="Forget the vectors first: for another embedder.")
@options.output_options
def command(db: str | None, tenant: str, embedder: str | None, afresh: bool) -> None:
    """Rebuild the index of words, and make the vectors that are missing.

    What was made is kept when it is interrupted, and the next run goes on from there. With
    `--embedder none --afresh` the store has no vectors any more.
    """
    from text2mem.adapters.registry import open_adapter
    from text2mem.executor.reindex import reindex
    from text2mem.opening import opened_embedder

    opened = opened_embedder(embedder)
    if afresh and not embedder and opened is None:
        raise click.UsageError(
            "--afresh forgets every vector, and no --embedder is named to make new ones; "
            "`--embedder none --afresh` leaves the store without"
        )
    store = options.store_name(db)
    options.require_store(store)
    adapter = open_adapter(store, tenant=tenant)
    made = left = 0
    try:
        with _counter() as count:
            for made in reindex(adapter, opened, afresh=afresh):
                count(made)
        left = 0 if opened is None else len(adapter.without_vectors(_ALL))
    except KeyboardInterrupt:
        again = "run it again, without --afresh, to go on" if afresh else "run it again to go on"
        show.complain(f"stopped early: {made} vectors are made and kept", again)
        raise
    finally:
        adapter.close()
    model = None if opened is None else opened.model
    words = "words indexed" + (f", {made} vectors of {model} made" if model else "")
    show.row({"words": True, "embedder": model, "vectors": made, "left": left}, words)
    if left:
        said = "the text is too long for the model, or its answer cannot be used"
        click.echo(f"note: no vector for {left} of the memories: {said}", err=True)


@contextmanager
def _counter() -> Iterator[Callable[[int], None]]:
    """Yield a function that shows the number of vectors made so far, if stderr is a terminal."""
    if not sys.stderr.isatty():
        yield lambda made: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("indexing")
        yield lambda made: bar.update(task, description=f"indexing: {made} vectors")
