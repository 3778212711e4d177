"""Batches: many utterances, a row each, a progress bar on stderr where a person looks at it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from text2mem.errors import ServiceError, Text2MemError
from text2mem.pipeline import Program
from text2mem.planner import Trace

T = TypeVar("T")


def tracked(items: Iterable[T], what: str) -> Iterator[T]:
    """The items, with a progress bar where stderr is a terminal and stdout is not."""
    if not sys.stderr.isatty() or sys.stdout.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(items, what, console=Console(stderr=True), transient=True)


def program_row(program: Program) -> dict[str, Any]:
    """A compiled utterance as a row: what ``exec`` reads."""
    return {
        "utterance": program.utterance,
        "status": "ok",
        "program": program.to_list(),
        **usage(program.trace),
    }


def usage(trace: Trace | None) -> dict[str, Any]:
    """What a compile cost: attempts and tokens."""
    if trace is None:
        return {}
    used = trace.usage
    return {
        "attempts": len(trace.attempts),
        "tokens": {"prompt": used.prompt, "output": used.output, "cached": used.cached},
    }


@contextmanager
def stopping_at_dead_services(failures: list[Text2MemError]) -> Iterator[None]:
    """Collects an error of one row; a service that is down ends the batch."""
    try:
        yield
    except ServiceError:
        raise
    except Text2MemError as error:
        failures.append(error)
