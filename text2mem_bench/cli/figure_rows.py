"""Figures as they are printed: a line each as soon as it is known, or a JSON row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from text2mem.cli import show

if TYPE_CHECKING:
    from text2mem_bench.figures import Figure


def head(where: Mapping[str, str], *, people: bool) -> None:
    """Where and how it was measured."""
    if not people:
        show.emit(where)
        return
    for key, value in where.items():
        click.echo(f"{key:<10} {value}")
    click.echo(
        f"\n{'n':>8}  {'store':<22} {'what':<44} {'p50':>11} {'p95':>11}  {'unit':<9} {'rounds':>6}"
    )


def tell(figure: Figure, *, people: bool) -> None:
    """One figure."""
    from text2mem_bench.figures import as_row

    if not people:
        show.emit(as_row(figure))
        return
    click.echo(
        f"{figure.n:>8}  {figure.store:<22} {figure.what:<44} {figure.p50:>11.3f} "
        f"{figure.p95:>11.3f}  {figure.unit:<9} {figure.rounds:>6}"
    )
