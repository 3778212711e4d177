"""``text2mem bench ids``: a sample of a corpus as a file of ids."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from text2mem_bench.cli.resuming import said


@click.command("ids")
@click.argument("data", type=click.Path(exists=True, dir_okay=False))
@click.option("--sample", type=click.IntRange(1), metavar="N", help="So many, ops in proportion.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the sample.")
@click.option("--split", type=click.Choice(["even", "odd"]), help="Of one half, by SHA-256.")
@click.option(
    "--part", "parts", multiple=True, metavar="PART",
    help="Of the rows that their authors marked so: train, dev or test. Repeatable.",
)  # fmt: skip
@click.option(
    "--out", "-o", type=click.Path(dir_okay=False, path_type=Path), help="Where they go. [stdout]"
)
@click.pass_context
def command(
    ctx: click.Context, data: str, sample: int | None, seed: int, split: Any,
    parts: tuple[str, ...], out: Path | None,
) -> None:  # fmt: skip
    """Write the ids of a sample of the corpus DATA, one a line, for `bench plan DATA --ids`.

    The first lines, which begin with #, say what they are a sample of.
    """
    from text2mem.errors import ConfigurationError
    from text2mem_bench.corpus import read_corpus
    from text2mem_bench.runs import data_of
    from text2mem_bench.selection import select, written

    corpus = read_corpus(data)
    pool = select(corpus, split=split, parts=parts)
    chosen = select(pool, sample=sample, seed=seed)
    if not chosen or (sample is not None and len(chosen) < sample):
        raise ConfigurationError(
            f"there are {len(pool)} such rows in {data}", hint="ask for a smaller sample"
        )
    facts = data_of(data, len(corpus))
    again = said(ctx, whole_paths=False, but=("out",))
    text = written(
        chosen, f"{len(chosen)} of {len(pool)} rows by op, seed {seed}: {again}",
        f"{facts['name']}, {facts['rows']} rows, sha256 {facts['sha256']}",
    )  # fmt: skip
    if out is None:
        click.echo(text, nl=False)
        return
    out.write_text(text, encoding="utf-8")
    click.echo(f"{out}: {len(chosen)} of {len(pool)} rows", err=True)
