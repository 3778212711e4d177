"""``text2mem bench stages``: the cost of the stages that ask no model."""

from __future__ import annotations

import tempfile
from dataclasses import asdict
from pathlib import Path

import click

from text2mem.cli import show


@click.command("stages")
@click.option("--rounds", type=click.IntRange(10), default=1000, show_default=True)
@click.option("--json", "form", flag_value="json", help="One JSON row a figure.")
def command(rounds: int, form: str | None) -> None:
    """The cost of the model-free stages for a one-op program, in microseconds."""
    from text2mem.adapters.registry import open_adapter
    from text2mem_bench.machine import machine
    from text2mem_bench.stages import import_time, measure

    with tempfile.TemporaryDirectory() as folder:
        adapter = open_adapter(Path(folder) / "bench.db")
        try:
            timings = [*measure(adapter, rounds), import_time()]
        finally:
            adapter.close()
    where = {**machine(), "command": f"text2mem bench stages --rounds {rounds}"}
    if form == "json" or not show.on_terminal():
        show.emit(where)
        for timing in timings:
            show.emit(asdict(timing))
        return
    for key, value in where.items():
        click.echo(f"{key:<10} {value}")
    click.echo(f"\n{'op':<9} {'stage':<17} {'median µs':>10} {'p95 µs':>10} {'rounds':>7}")
    for t in timings:
        click.echo(f"{t.op:<9} {t.stage:<17} {t.median:>10.0f} {t.p95:>10.0f} {t.rounds:>7}")
