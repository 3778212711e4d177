"""``text2mem bench store``: how quick a store is."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from text2mem.cli import show


@click.command("store")
@click.option(
    "--n",
    "sizes",
    default="10000,100000",
    show_default=True,
    metavar="N[,N…]",
    help="At how many memories.",
)
@click.option("--seed", type=int, default=0, help="Seed of the made-up memories.")
@click.option("--rounds", type=click.IntRange(9), default=60, show_default=True)
@click.option("--without-vectors", is_flag=True, help="Measure words and filters alone.")
@click.option("--figure", type=click.Path(dir_okay=False), help="Draw the figures as SVG.")
@click.option("--json", "form", flag_value="json", help="One JSON row a figure.")
def command(
    sizes: str, seed: int, rounds: int, without_vectors: bool, figure: str | None, form: str | None
) -> None:
    """How quick a SQLite store is with N made-up memories, and how that grows.

    The vectors are random directions: they cost what real ones cost, and find nothing.
    """
    from text2mem.bench.figure import draw
    from text2mem.bench.machine import machine
    from text2mem.bench.store import as_row, measure

    try:
        wanted = [int(size) for size in sizes.split(",")]
    except ValueError as error:
        raise click.UsageError(f"--n takes numbers, such as 10000,100000: {error}") from error
    said = f"text2mem bench store --n {sizes} --seed {seed} --rounds {rounds}"
    where = {**machine(), "command": said + (" --without-vectors" if without_vectors else "")}
    people = form is None and show.on_terminal()
    if people:
        for key, value in where.items():
            click.echo(f"{key:<10} {value}")
        click.echo(f"\n{'n':>8}  {'what':<44} {'p50':>11} {'p95':>11}  {'unit':<9} {'rounds':>6}")
    else:
        show.emit(where)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for f in measure(
            wanted, Path(folder), seed=seed, rounds=rounds, vectors=not without_vectors
        ):
            found.append(f)
            if people:
                click.echo(
                    f"{f.n:>8}  {f.what:<44} {f.p50:>11.3f} {f.p95:>11.3f}  {f.unit:<9} "
                    f"{f.rounds:>6}"
                )
            else:
                show.emit(as_row(f))
    if figure is not None:
        draw(found, Path(figure), title=f"{where['processor']}, {where['date']}, {said}")
