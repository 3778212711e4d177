"""``text2mem bench recall``: what a search finds of long conversations."""

from __future__ import annotations

import click

from text2mem.cli import show
from text2mem.cli.services import embedder_option
from text2mem_bench.cli.figure_rows import numbers


@click.command("recall")
@click.argument("path", type=click.Path(exists=True, dir_okay=False))
@click.option("--k", "depths", default="1,5,10,20", show_default=True, metavar="N[,N…]")
@embedder_option
@click.option("--json", "form", flag_value="json", help="The figures as JSON, on a terminal too.")
@click.option("--jsonl", "form", flag_value="jsonl", help="One JSON row a question and search.")
@click.option("--markdown", "form", flag_value="markdown", help="Tables, as on a terminal.")
def command(path: str, depths: str, embedder: str | None, form: str | None) -> None:
    """Observe the conversations of PATH and search them by its questions.

    PATH is in the layout of LoCoMo (fixtures/episodes/locomo.schema.json). Recall is the share of a
    question's evidence among the first k turns found, by words, and with --embedder by vectors and
    by both. With --jsonl a row each, and the tables on stderr.
    """
    from text2mem.cli.progress import with_progress
    from text2mem.opening import opened_embedder
    from text2mem_bench.machine import machine
    from text2mem_bench.recall.locomo import read_samples
    from text2mem_bench.recall.measure import markdown, measure, summarise

    wanted = sorted(set(numbers("--k", depths, "1,5,10,20")))
    samples = read_samples(path)
    vectors = opened_embedder(embedder)
    rows = []
    for row in measure(with_progress(samples, "searching"), depth=wanted[-1], embedder=vectors):
        rows.append(row)
        if form == "jsonl":
            show.emit(row.as_dict(wanted))
    summary = summarise(samples, rows, wanted)
    where = {
        **machine(), "path": path, "embedder": "none" if vectors is None else vectors.model
    }  # fmt: skip
    if form == "json" or (form is None and not show.on_terminal()):
        show.emit({**where, **summary})
        return
    lines = ["  ".join(f"{key}={value}" for key, value in where.items())]
    lines.append(markdown(summary, wanted))
    click.echo(show.visible("\n".join(lines)), err=form == "jsonl")
