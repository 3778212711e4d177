"""The progress bar for many utterances."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def with_progress(items: Iterable[T], what: str) -> Iterator[T]:
    """Yield the items. A progress bar is shown if stderr is a terminal and stdout is not."""
    if not sys.stderr.isatty() or sys.stdout.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import Progress

    # Errors are written above the bar. rich must not redirect stdout, which is data.
    with Progress(console=Console(stderr=True), transient=True, redirect_stdout=False) as bar:
        yield from bar.track(items, description=what)
