"""``text2mem bench doors``: how quick the MCP server is."""

from __future__ import annotations

import os
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from text2mem_bench.cli.figure_rows import printed


@click.command("doors")
@click.option(
    "--memories", type=click.IntRange(100), default=1000, show_default=True,
    help="How many made-up memories the store holds at the start.",
)  # fmt: skip
@click.option("--callers", type=click.IntRange(4, 200), default=40, show_default=True)
@click.option("--rounds", type=click.IntRange(1, 1000), default=10, show_default=True)
@click.option("--seed", type=int, default=0, help="Seed of the memories and the calls.")
@click.option("--json", "form", flag_value="json", help="One JSON row a figure.")
def command(memories: int, callers: int, rounds: int, seed: int, form: str | None) -> None:
    """How quick `text2mem mcp` answers over HTTP, without the time that a model takes.

    A quarter of the calls each: remember, recall, history, and a search by run_program. At the end
    everything that was remembered is looked for in the store.
    """
    from text2mem.doors.mcp import require
    from text2mem_bench.doors import Figure, measure
    from text2mem_bench.machine import machine

    require()
    said = f"--memories {memories} --callers {callers} --rounds {rounds} --seed {seed}"
    where = {**machine(), "command": f"text2mem bench doors {said}"}
    where["load"] = " ".join(f"{load:.2f}" for load in os.getloadavg())

    def line(f: Figure) -> str:
        cpu = "-" if f.cpu is None else f"{f.cpu:.2f}"
        return f"{f.what:<40} {f.calls:>6} {f.p50:>8.2f} {f.p95:>8.2f} {f.worst:>8.2f} {cpu:>7}"

    def row(f: Figure) -> dict[str, Any]:
        return {k: round(v, 3) if isinstance(v, float) else v for k, v in asdict(f).items()}

    with tempfile.TemporaryDirectory() as folder:
        printed(
            where,
            measure(Path(folder), memories=memories, callers=callers, rounds=rounds, seed=seed),
            form, line=line, row=row,
            head=f"{'ms':<40} {'calls':>6} {'p50':>8} {'p95':>8} {'worst':>8} {'cpu':>7}",
        )  # fmt: skip
