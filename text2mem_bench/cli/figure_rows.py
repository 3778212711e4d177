"""Measurements as they are printed: a line each as soon as it is known, or a JSON row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from text2mem.cli import show

if TYPE_CHECKING:
    from text2mem_bench.figures import Figure

F = TypeVar("F")
HEAD = f"{'n':>8}  {'store':<22} {'what':<44} {'p50':>11} {'p95':>11}  {'unit':<9} {'rounds':>6}"


def printed(
    where: Mapping[str, str], measured: Iterable[F], form: str | None, *, head: str,
    line: Callable[[F], str], row: Callable[[F], Any],
) -> list[F]:  # fmt: skip
    """Print where and how was measured, then what is measured as it comes; all of it."""
    people, found = form is None and show.on_terminal(), []
    if people:
        for key, value in where.items():
            click.echo(f"{key:<10} {value}")
        click.echo(f"\n{head}")
    else:
        show.emit(where)
    for each in measured:
        found.append(each)
        if people:
            click.echo(line(each))
        else:
            show.emit(row(each))
    return found


def line(figure: Figure) -> str:
    """A figure under ``HEAD``."""
    return (
        f"{figure.n:>8}  {figure.store:<22} {figure.what:<44} {figure.p50:>11.3f} "
        f"{figure.p95:>11.3f}  {figure.unit:<9} {figure.rounds:>6}"
    )


def numbers(option: str, said: str, such_as: str) -> list[int]:
    """The numbers of an option, with commas between them. Raises UsageError."""
    try:
        found = [int(number) for number in said.split(",")]
    except ValueError as error:
        raise click.UsageError(f"{option} takes numbers, such as {such_as}: {error}") from error
    if min(found) < 1:
        raise click.UsageError(f"{option} takes numbers from 1 on")
    return found
