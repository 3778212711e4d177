"""Many utterances: the progress bar, and the JSON row that each becomes."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from text2mem.planner import Trace
from text2mem.program import Program

T = TypeVar("T")


def tracked(items: Iterable[T], what: str) -> Iterator[T]:
    """The items, with a progress bar where stderr is a terminal and stdout is not."""
    if not sys.stderr.isatty() or sys.stdout.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import Progress

    # Errors are written above the bar; stdout is data, and rich leaves it alone.
    with Progress(console=Console(stderr=True), transient=True, redirect_stdout=False) as bar:
        yield from bar.track(items, description=what)


def program_row(program: Program) -> dict[str, Any]:
    """A compiled utterance as a row: what ``exec`` reads."""
    return {
        "utterance": program.utterance,
        "status": "ok",
        "program": program.to_list(),
        **remarks(program),
    }


def remarks(program: Program) -> dict[str, Any]:
    """The warnings of a program, if any, and what it cost to compile it."""
    odd = [each.as_dict() for each in program.warnings]
    return {**({"warnings": odd} if odd else {}), **usage(program.trace)}


def usage(trace: Trace | None) -> dict[str, Any]:
    """What a compile cost: attempts and tokens."""
    if trace is None:
        return {}
    used = trace.usage
    return {
        "attempts": len(trace.attempts),
        "tokens": {"prompt": used.prompt, "output": used.output, "cached": used.cached},
    }
