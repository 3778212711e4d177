"""``text2mem bench ledger``: how quick typed memory is."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from text2mem_bench.cli.figure_rows import numbers, printed


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
    from text2mem_bench.figures import Figure, as_row
    from text2mem_bench.ledger import aim, measure
    from text2mem_bench.machine import machine

    wanted = numbers("--n", sizes, "1000,10000")
    command = f"text2mem bench ledger --n {sizes} --seed {seed} --rounds {rounds}"
    where = {**machine(), "command": command}

    def aimed(figure: Figure) -> str:
        most = aim(figure)
        return (
            f"{figure.n:>8}  {figure.what:<40} {figure.p50:>10.3f} {figure.p95:>10.3f}  "
            f"{figure.unit:<4} {'' if most is None else f'{most:g}':>6} {figure.rounds:>6}"
        )

    with tempfile.TemporaryDirectory() as folder:
        printed(
            where, measure(wanted, Path(folder), seed=seed, rounds=rounds), form,
            head=f"{'n':>8}  {'what':<40} {'p50':>10} {'p95':>10}  unit {'aim':>6} {'n':>6}",
            line=aimed, row=lambda figure: {**as_row(figure), "aim": aim(figure)},
        )  # fmt: skip
