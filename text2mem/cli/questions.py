"""A question that the planner asks back: how it is shown, and what a line in reply to it means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from text2mem.cli import show
from text2mem.cli.batch import usage
from text2mem.doors.replies import reply
from text2mem.outcome import Nothing, Undo
from text2mem.planner.messages import message

if TYPE_CHECKING:
    from text2mem.clarification import Clarification
    from text2mem.program import Program

_HINT = "say it more precisely, or answer it in text2mem repl"


def agreed(line: str) -> bool:
    """Whether a line is a yes."""
    return reply(line) == "yes"


def read_reply(line: str, asked: Clarification) -> Program | str | None:
    """What a line in reply to a question means.

    The program of an option, the line itself where it says something else, None where the question
    is dropped. A yes chooses an option that is the only one; a number that is no option's is the id
    of a candidate, or what a question without options asks for. Raises NoSuchOption.
    """
    said = reply(line)
    if said == "no":
        return None
    if said == "yes" and len(asked.options) == 1:
        return asked.choose(1)
    if not isinstance(said, int) or not asked.options:
        return line
    within = 1 <= said <= len(asked.options)
    if not within and any(str(said) == one.get("id") for one in asked.candidates):
        return line
    return asked.choose(said)


def shown(asked: Clarification, *, form: str | None, **known: Any) -> None:
    """A question as the result of a command: in words, or as a row with what the compile cost.

    ``known`` is what the row says besides.
    """
    if show.for_people(form):
        show_question(asked)
        return
    show.complain(asked.question, _HINT, about=asked.utterance or "")
    show.emit({**asked.as_dict(), **known, **usage(asked.trace)})


def show_outcome(outcome: Nothing | Undo, *, form: str | None) -> None:
    """What is no program and no question, as the result of a command."""
    if show.for_people(form):
        name = "undo" if isinstance(outcome, Undo) else "nothing"
        show.console().print(show.visible(message(name, outcome.utterance or "")), style="dim")
        return
    show.emit({**outcome.as_dict(), **usage(outcome.trace)})


def show_question(asked: Clarification) -> None:
    """A question with its numbered options and their effects, and the memories in question."""
    out = show.console()
    out.print(show.visible(f"? {asked.question}"), style="yellow")
    for number, option in enumerate(asked.options, 1):
        effect = f" ({option.effect})" if option.effect else ""
        out.print(show.visible(f"  {number}. {option.label}{effect}"))
    for one in asked.candidates:
        out.print(show.visible(f"    {_candidate(one)}"), style="dim")


def _candidate(one: Any) -> str:
    tags = "".join(f"  #{tag}" for tag in one.get("tags", ()))
    time = f"  {one['time']}" if one.get("time") else ""
    text = str(one.get("text", "")).replace("\n", " ")
    return f"{one.get('id', '?')}: {text}{tags}{time}"
