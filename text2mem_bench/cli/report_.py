"""``text2mem bench report``: one HTML page about runs of the planning layer, and wild ones."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("report")
@click.argument(
    "folders",
    metavar="RUN...",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, path_type=Path),
)
@click.option(
    "--out", "-o", type=click.Path(dir_okay=False, path_type=Path), default=Path("report.html"),
    show_default=True, help="Where the page goes; - is stdout.",
)  # fmt: skip
@click.option("--without-cases", is_flag=True, help="Figures only: nothing of the data's rows.")
def command(folders: tuple[Path, ...], out: Path, without_cases: bool) -> None:
    """Write one self-contained HTML page about planning runs and wild runs, side by side.

    A RUN is what --out of `text2mem bench plan` or `text2mem bench wild` wrote. Planning runs of
    floors stand beside the scores of the others; alone they are reported as any run.
    """
    from text2mem_bench.floors import PREFIX
    from text2mem_bench.report.page import page
    from text2mem_bench.report.run import PLAN, WILD, load

    runs = load(folders, (PLAN, WILD))
    wild = [run for run in runs if run.kind == WILD]
    planning = [run for run in runs if run.kind == PLAN]
    floors = [run for run in planning if str(run.config.get("model")).startswith(PREFIX)]
    others = [run for run in planning if run not in floors]
    written = page(others or floors, floors if others else (), wild, cases=not without_cases)
    if str(out) == "-":
        click.echo(written, nl=False)
        return
    out.write_text(written, encoding="utf-8")
    click.echo(f"{out}: {len(runs)} runs, {len(written.encode()) / 1e6:.1f} MB", err=True)
