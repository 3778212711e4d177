"""``text2mem bench search``: a framework's own search beside ours."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from text2mem_bench.cli.figure_rows import HEAD, line, printed


@click.command("search")
@click.option(
    "--store", "specs", multiple=True, default=["langgraph", "mem0"], show_default=True,
    metavar="STORE",
    help="A framework with a search: langgraph, langgraph:postgresql://…, mem0, graphiti; again "
    "for one beside it.",
)  # fmt: skip
@click.option("--n", type=click.IntRange(100), default=10_000, show_default=True)
@click.option("--seed", type=int, default=0, help="Seed of the made-up memories and questions.")
@click.option("--rounds", type=click.IntRange(9), default=60, show_default=True)
@click.option("--json", "form", flag_value="json", help="One JSON row a figure.")
def command(specs: tuple[str, ...], n: int, seed: int, rounds: int, form: str | None) -> None:
    """How long a framework's own search takes and what it finds, beside ours on the same memories.

    Of N made-up memories some are asked for by their rarest words, where the framework has vectors
    of hashed terms; and by paraphrases, which share no word with them, where both have the same
    vectors. Both searches go through the adapter; the framework is asked directly, too.
    """
    from text2mem_bench.figures import as_row
    from text2mem_bench.machine import machine
    from text2mem_bench.own_search import label, measure

    said = f"text2mem bench search --n {n} --seed {seed} --rounds {rounds}"
    said += "".join(f" --store {label(spec)}" for spec in specs)
    with tempfile.TemporaryDirectory() as folder:
        printed(
            {**machine(), "command": said},
            measure(specs, Path(folder), n=n, seed=seed, rounds=rounds),
            form, head=HEAD, line=line, row=as_row,
        )  # fmt: skip
