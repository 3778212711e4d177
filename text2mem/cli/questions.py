"""Print the outcomes of a compile that are no program: a question, nothing to do, an undo."""

from __future__ import annotations

from datetime import datetime, tzinfo
from typing import Any

import click

from text2mem.cli import show
from text2mem.cli.batch import usage
from text2mem.compiled import Clarification, Nothing, Undo
from text2mem.planner.messages import message, moment

_HINT = "say it more precisely, or answer it in text2mem repl"


def shown(asked: Clarification, tz: tzinfo, *, form: str | None, **known: Any) -> None:
    """Print a question as the result of a command: in words, or as a row with the compile's cost.

    ``known`` are further keys of the row.
    """
    if show.for_people(form):
        show_question(asked, tz)
        click.echo(f"({_HINT})", err=True)
        return
    show.complain(asked.question, _HINT, about=asked.utterance or "")
    show.emit({**asked.as_dict(), **known, **usage(asked.trace)})


def show_outcome(outcome: Nothing | Undo, *, form: str | None) -> None:
    """Print that the utterance asks nothing of the memory, or asks for an undo."""
    if show.for_people(form):
        undo = isinstance(outcome, Undo)
        show.line(message("undo", outcome.utterance or "") if undo else str(outcome), "dim")
        return
    show.emit({**outcome.as_dict(), **usage(outcome.trace)})


def show_question(asked: Clarification, tz: tzinfo) -> None:
    """Print a question with its numbered options and the memories in question."""
    show.line(f"? {asked.question}", "yellow")
    for number, option in enumerate(asked.options, 1):
        show.line(f"  {number}. {option}")
    for row in asked.candidates:
        show.line(f"    {_candidate(row, asked.utterance or '', tz)}", "dim")


def _candidate(row: Any, said: str, tz: tzinfo) -> str:
    """A memory in question on a line; its time in the language of the utterance ``said``."""
    tags = "".join(f"  #{tag}" for tag in row.get("tags", ()))
    at = row.get("time")
    time = f"  {moment(datetime.fromisoformat(at), said, tz)}" if at else ""
    text = str(row.get("text", "")).replace("\n", " ")
    return f"{row.get('id', '?')}: {text}{tags}{time}"
