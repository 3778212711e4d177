"""Print the outcomes of a compile that are no program: a question, nothing to do, an undo."""

from __future__ import annotations

from datetime import datetime, tzinfo
from typing import Any

import click

from text2mem.cli import show
from text2mem.compiled import Clarification, Nothing, Undo
from text2mem.messages import message, moment


def show_unplanned(answer: Clarification | Nothing | Undo, tz: tzinfo, **known: Any) -> None:
    """Print what a compile answered in place of a program: in words, or as a row with its cost.
    ``known`` are further keys of the row of a question."""
    people, said = show.for_people(), answer.utterance or ""
    hint = message("say-precisely", said)
    if isinstance(answer, Clarification):
        if people:
            show_question(answer, tz)
            click.echo(f"({hint})", err=True)
        else:
            show.complain(answer.question, hint, about=said, said=said)
            show.emit({**answer.as_dict(), **known, **show.usage(answer.trace)})
    elif people:
        show.line(message("undo", said) if isinstance(answer, Undo) else str(answer), "dim")
    else:
        show.emit({**answer.as_dict(), **show.usage(answer.trace)})


def show_question(asked: Clarification, tz: tzinfo) -> None:
    """Print a question with its numbered options or, without any, the memories in question."""
    show.line(f"? {asked.question}", "yellow")
    for number, option in enumerate(asked.options, 1):
        show.line(f"  {number}. {option}")
    for row in () if asked.options else asked.candidates:
        show.line(f"    {_candidate(row, asked.utterance or '', tz)}", "dim")


def _candidate(row: Any, said: str, tz: tzinfo) -> str:
    """A memory in question on a line; its time in the language of the utterance ``said``."""
    tags = "".join(f"  #{tag}" for tag in row.get("tags", ()))
    at, of = row.get("time"), message(f"field-{row.get('time_field', 'time')}", said)
    time = f"  {of} {moment(datetime.fromisoformat(at), said, tz)}" if at else ""
    text = str(row.get("text", "")).replace("\n", " ")
    return f"{row.get('id', '?')}: {text}{tags}{time}"
