"""``text2mem models``: the weights of local models."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from text2mem import weights
from text2mem.cli import options, show
from text2mem.errors import ConfigurationError, WeightsCorrupt


@click.group("models")
def command() -> None:
    """List, fetch and locate the weights of local models."""


@command.command("list")
@options.output_options
def list_models() -> None:
    """The models of the manifest, and whether they are here."""
    for name, model in weights.MANIFEST.items():
        try:
            path = weights.find(name)
            state = str(path) if path else "not here"
        except WeightsCorrupt as error:
            path, state = None, f"corrupt: {error.path}"
        except ConfigurationError as error:
            path, state = None, f"unreadable: {error.message}"
        row = {
            "name": name, "bytes": model.size, "sha256": model.sha256,
            "licence": model.licence, "path": None if path is None else str(path),
            "state": "here" if path else state.partition(":")[0],
        }  # fmt: skip
        mark = "*" if name == weights.DEFAULT else " "
        words = f"{mark} {name:<22} {model.size / 1e6:>6.0f} MB  {model.licence}  {state}"
        show.row(row, words)


@command.command("pull")
@click.argument("name", default=weights.DEFAULT)
@click.option("--from", "source", type=click.Path(path_type=Path), help="A file of your own.")
def pull(name: str, source: Path | None) -> None:
    """Fetch and verify the weights of NAME.

    What is already here is not fetched again, unless its bytes are not the pinned ones.
    """
    click.echo(str(_pull(name, source)))


@command.command("path")
@click.argument("name", default=weights.DEFAULT)
def path(name: str) -> int:
    """Where the verified weights of NAME are.

    The exit code is 1 where they are not here.
    """
    found = weights.find(name)
    if found is None:
        click.echo(f"the weights of {name} are not here: text2mem models pull {name}", err=True)
        return 1
    click.echo(str(found))
    return 0


def _pull(name: str, source: Path | None) -> Path:
    if not sys.stderr.isatty():
        return weights.pull(name, source_path=source)
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(name, total=None)

        def follow(source: str, done: int, total: int) -> None:
            bar.update(task, description=f"{name} ({source})", completed=done, total=total)

        return weights.pull(name, source_path=source, report=bar.console.print, progress=follow)
