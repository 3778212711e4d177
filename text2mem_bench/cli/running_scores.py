"""A progress bar on stderr with the scores so far; in a file or a pipe, a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Generator, Iterable
from dataclasses import dataclass
from typing import Any

import click

from text2mem_bench.metrics import ran
from text2mem_bench.scores import ASKED, UNSCORED

_PAUSE = 60.0
"""Seconds between two lines where nobody watches a bar."""


@dataclass(slots=True)
class Tally:
    """The scores so far: rows with the right ops, rows that ran, assertions that hold; and how many
    rows got a question.
    """

    rows: int = 0
    right: int = 0
    executed: int = 0
    asked: int = 0
    assertions: int = 0
    held: int = 0

    @classmethod
    def of(cls, rows: Iterable[dict[str, Any]]) -> Tally:
        """Of the rows that are there."""
        tally = cls()
        for row in rows:
            tally.add(row)
        return tally

    def add(self, row: dict[str, Any]) -> None:
        """One more row; one without an answer does not count."""
        if row["status"] == UNSCORED:
            return
        self.rows += 1
        self.right += row["scores"]["op_exact"]
        self.executed += row["scores"]["esr"]
        self.asked += row["status"] == ASKED
        self.assertions += len(row["checks"])
        if ran(row["status"], row["predicted"]):
            self.held += sum(check["held"] for check in row["checks"])

    def __str__(self) -> str:
        figures = (
            ("ops", self.right, self.rows), ("ESR", self.executed, self.rows),
            ("EMR", self.held, self.assertions),
        )  # fmt: skip
        shares = [f"{name} {part / max(whole, 1):.3f}" for name, part, whole in figures]
        return "  ".join([*shares, *([f"asked {self.asked}"] if self.asked else [])])


def watched(
    rows: Iterable[dict[str, Any]], tally: Tally, *, total: int, done: int
) -> Generator[dict[str, Any], None, None]:
    """The rows as they come; ``done`` of ``total`` cases were there before."""
    if sys.stderr.isatty():
        yield from _with_bar(rows, tally, total, done)
        return
    told = time.monotonic()
    for place, row in enumerate(rows, done + 1):
        tally.add(row)
        if time.monotonic() - told >= _PAUSE:
            told = time.monotonic()
            click.echo(f"{place} of {total}  {tally}", err=True)
        yield row


def _with_bar(
    rows: Iterable[dict[str, Any]], tally: Tally, total: int, done: int
) -> Generator[dict[str, Any], None, None]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        BarColumn(bar_width=20), MofNCompleteColumn(), TextColumn("{task.description}"),
        TimeElapsedColumn(), TimeRemainingColumn(),
    )  # fmt: skip
    with Progress(
        *columns, console=Console(stderr=True), transient=True, redirect_stdout=False
    ) as bar:
        task = bar.add_task(str(tally), total=total, completed=done)
        for row in rows:
            tally.add(row)
            bar.update(task, description=str(tally), advance=1)
            yield row
