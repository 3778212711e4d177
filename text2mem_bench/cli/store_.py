"""``text2mem bench store``: how quick a store is."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from text2mem_bench.cli.figure_rows import HEAD, line, numbers, printed


@click.command("store")
@click.option(
    "--n", "sizes", default="10000,100000", show_default=True, metavar="N[,N…]",
    help="At how many memories.",
)  # fmt: skip
@click.option("--seed", type=int, default=0, help="Seed of the made-up memories.")
@click.option("--rounds", type=click.IntRange(9), default=60, show_default=True)
@click.option(
    "--store", "stores", multiple=True, default=["sqlite"], show_default=True, metavar="STORE",
    help="sqlite, or postgres:URL of a schema that is not there yet; again for one beside it.",
)  # fmt: skip
@click.option("--without-vectors", is_flag=True, help="Measure words and filters alone.")
@click.option(
    "--dimension", type=click.IntRange(2, 2000), default=384, show_default=True, metavar="NUMBERS",
    help="How long the vectors are.",
)  # fmt: skip
@click.option("--index", is_flag=True, help="Search by an index of the vectors, too.")
@click.option("--writers", type=click.IntRange(2), default=8, show_default=True)
@click.option("--plans", type=click.Path(dir_okay=False), help="Write how Postgres reads here.")
@click.option("--figure", type=click.Path(dir_okay=False), help="Draw the figures as SVG.")
@click.option("--json", "form", flag_value="json", help="One JSON row a figure.")
def command(
    sizes: str, seed: int, rounds: int, stores: tuple[str, ...], without_vectors: bool,
    dimension: int, index: bool, writers: int, plans: str | None, figure: str | None,
    form: str | None,
) -> None:  # fmt: skip
    """How quick a store is with N made-up memories, and how that grows.

    The memories of a Postgres go into a schema of their own, which is dropped at the end. The
    vectors are clusters of directions: they cost what real ones cost, and mean nothing.
    """
    from text2mem_bench.figures import as_row, draw
    from text2mem_bench.machine import machine
    from text2mem_bench.places import PostgresPlace, begun, places
    from text2mem_bench.plans import as_page
    from text2mem_bench.store import measure
    from text2mem_bench.store import plans as plans_of
    from text2mem_bench.synthetic import DIMENSION

    wanted = numbers("--n", sizes, "10000,100000")
    said = f"text2mem bench store --n {sizes} --seed {seed} --rounds {rounds} --writers {writers}"
    # Where a server is, is nobody's business.
    names = [store.partition(":")[0] + ":" * (":" in store) for store in stores]
    said += "".join(f" --store {name}" for name in names if names != ["sqlite"])
    said += (" --without-vectors" if without_vectors else "") + (" --index" if index else "")
    said += "" if dimension == DIMENSION else f" --dimension {dimension}"
    with tempfile.TemporaryDirectory() as folder, begun(places(stores, Path(folder))) as held:
        where = {**machine(), **{place.name: on for place, on in held}, "command": said}
        chosen = [place for place, _ in held]
        measured = measure(
            wanted, chosen, seed=seed, rounds=rounds, vectors=not without_vectors,
            dimension=dimension, index=index, writers=writers,
        )  # fmt: skip
        found = printed(where, measured, form, head=HEAD, line=line, row=as_row)
        if plans is not None:
            shown = [
                each for place in chosen if isinstance(place, PostgresPlace)
                for each in plans_of(
                    place, vectors=not without_vectors, dimension=dimension, index=index, seed=seed
                )
            ]  # fmt: skip
            Path(plans).write_text(as_page(said, shown), "utf-8")
    if figure is not None:
        draw(found, Path(figure), title=f"{where['processor']}, {where['date']}, {said}")
