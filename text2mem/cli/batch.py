"""The progress bar for many utterances, and the JSON row of each."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from text2mem.planner import Trace
from text2mem.program import Program

T = TypeVar("T")


def tracked(items: Iterable[T], what: str) -> Iterator[T]:
    """Yield the items. A progress bar is shown if stderr is a terminal and stdout is not."""
    if not sys.stderr.isatty() or sys.stdout.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import Progress

    # Errors are written above the bar. rich must not redirect stdout, which is data.
    with Progress(console=Console(stderr=True), transient=True, redirect_stdout=False) as bar:
        yield from bar.track(items, description=what)


def remarks(program: Program) -> dict[str, Any]:
    """Return the parts of a row with the warnings of a program and the cost of compiling it."""
    odd = [each.as_dict() for each in program.warnings]
    return {**({"warnings": odd} if odd else {}), **usage(program.trace)}


def usage(trace: Trace | None) -> dict[str, Any]:
    """Return the part of a row with the cost of a compile, in attempts and tokens."""
    if trace is None:
        return {}
    used = trace.usage
    return {
        "attempts": len(trace.attempts),
        "tokens": {"prompt": used.prompt, "output": used.output, "cached": used.cached},
    }
