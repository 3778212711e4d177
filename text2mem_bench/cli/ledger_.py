"""``text2mem bench ledger``: how quick typed memory is."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from text2mem.cli import show


@click.command("ledger")
@click.option(
    "--n", "sizes", default="1000,10000,100000", show_default=True, metavar="N[,N…]",
    help="At how many facts.",
)  # fmt: skip
@click.option("--seed", type=int, default=0, help="Seed of the made-up facts.")
@click.option("--rounds", type=click.IntRange(9), default=200, show_default=True)
@click.option("--json", "form", flag_value="json", help="One JSON row a figure.")
def command(sizes: str, seed: int, rounds: int, form: str | None) -> None:
    """How quick observing and recalling are with N made-up facts, without a model.

    Each fact rests on an episode of its own, so that a store holds twice as many memories. Beside
    the figures stand the aims: the most that the 95th percentile should be.
    """
    from text2mem_bench.figures import as_row
    from text2mem_bench.ledger import aim, measure
    from text2mem_bench.machine import machine

    try:
        wanted = [int(size) for size in sizes.split(",")]
    except ValueError as error:
        raise click.UsageError(f"--n takes numbers, such as 1000,10000: {error}") from error
    if min(wanted) < 1:
        raise click.UsageError("--n takes numbers from 1 on")
    command = f"text2mem bench ledger --n {sizes} --seed {seed} --rounds {rounds}"
    where = {**machine(), "command": command}
    people = form is None and show.on_terminal()
    if people:
        for key, value in where.items():
            click.echo(f"{key:<10} {value}")
        click.echo(f"\n{'n':>8}  {'what':<40} {'p50':>10} {'p95':>10}  unit {'aim':>6} {'n':>6}")
    else:
        show.emit(where)
    with tempfile.TemporaryDirectory() as folder:
        for figure in measure(wanted, Path(folder), seed=seed, rounds=rounds):
            most = aim(figure)
            if not people:
                show.emit({**as_row(figure), "aim": most})
                continue
            click.echo(
                f"{figure.n:>8}  {figure.what:<40} {figure.p50:>10.3f} {figure.p95:>10.3f}  "
                f"{figure.unit:<4} {'' if most is None else f'{most:g}':>6} {figure.rounds:>6}"
            )
