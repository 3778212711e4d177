"""Runs that are kept in a folder: the command that made one, and how one goes on that stopped."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from text2mem_bench.runs import read_run

if TYPE_CHECKING:
    from text2mem_bench.runs import Run


def said(ctx: click.Context, *, whole_paths: bool, but: Collection[str] = ("form",)) -> str:
    """The command with the model it took, other options at their defaults left out.

    What is published of a run names files without the folders that they lie in. ``but`` names the
    parameters that are left out.
    """
    words = ["text2mem", *_path(ctx)]
    for parameter in ctx.command.params:
        value = ctx.params.get(parameter.name or "")
        given = ctx.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
        wanted = given or (parameter.name == "model" and value is not None)
        if parameter.name in but or not wanted:
            continue
        option = [max(parameter.opts, key=len)] if isinstance(parameter, click.Option) else []
        named = isinstance(parameter.type, click.Path) and not whole_paths
        for each in value if isinstance(value, tuple) else (value,):
            words += option
            if each is not True:
                words.append(Path(str(each)).name if named else str(each))
    return shlex.join(words)


def _path(ctx: click.Context) -> list[str]:
    """The names of the command and of the groups around it, the program's own left out."""
    return [] if ctx.parent is None else [*_path(ctx.parent), ctx.info_name or ""]


@contextmanager
def going_on(ctx: click.Context, run: Run, total: int) -> Iterator[None]:
    """Where a run of so many cases stops before its end, say what is kept and how it goes on."""
    try:
        yield
    except BaseException:
        _tell(ctx, run, total)
        raise


def _tell(ctx: click.Context, run: Run, total: int) -> None:
    if run.folder is None:
        click.echo("nothing is kept: there was no --out", err=True)
        return
    # What is on disk counts: an interrupt may have come between a row's writing and the next step.
    kept = read_run(run.folder)[1] if run.folder.exists() else []
    click.echo(
        f"{len(kept)} of {total} cases are in {run.folder}; to go on:\n"
        f"  {said(ctx, whole_paths=True)}",
        err=True,
    )
