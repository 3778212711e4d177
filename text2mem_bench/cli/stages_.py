"""``text2mem bench stages``: the cost of the stages that ask no model."""

from __future__ import annotations

import tempfile
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

import click

from text2mem_bench.cli.figure_rows import printed


@click.command("stages")
@click.option("--rounds", type=click.IntRange(10), default=1000, show_default=True)
@click.option("--json", "form", flag_value="json", help="One JSON row a figure.")
def command(rounds: int, form: str | None) -> None:
    """The cost of the model-free stages for a one-op program, in microseconds."""
    from text2mem.adapters.registry import open_adapter
    from text2mem_bench.machine import machine
    from text2mem_bench.stages import import_time, measure

    where = {**machine(), "command": f"text2mem bench stages --rounds {rounds}"}
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(open_adapter(Path(folder) / "bench.db")) as adapter,
    ):
        timings = [*measure(adapter, rounds), import_time()]
    printed(
        where, timings, form,
        head=f"{'op':<9} {'stage':<17} {'median µs':>10} {'p95 µs':>10} {'rounds':>7}",
        line=lambda t: f"{t.op:<9} {t.stage:<17} {t.median:>10.0f} {t.p95:>10.0f} {t.rounds:>7}",
        row=asdict,
    )  # fmt: skip
