"""What a person sees while a model works: a bar for many utterances, a spinner for one."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import TypeVar

T = TypeVar("T")
_PATIENCE = 0.4
"""The seconds before a spinner shows. An answer from the cache takes less."""


@contextmanager
def spinner(what: str = "reading") -> Iterator[None]:
    """Show on stderr that the work within goes on, if a person sees stdout and stderr."""
    if not (sys.stderr.isatty() and sys.stdout.isatty()):
        yield
        return
    from rich.console import Console

    status = Console(stderr=True).status(f"{what} …")
    begins = Timer(_PATIENCE, status.start)
    begins.daemon = True
    begins.start()
    try:
        yield
    finally:
        begins.cancel()
        begins.join()
        status.stop()


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
