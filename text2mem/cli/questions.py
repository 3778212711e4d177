"""A question that the planner asks back: how it is shown, and what a line in reply to it means."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from text2mem import resources
from text2mem.cli import show
from text2mem.cli.batch import usage
from text2mem.outcome import Nothing, Undo
from text2mem.planner.messages import message

if TYPE_CHECKING:
    from text2mem.clarification import Clarification
    from text2mem.program import Program

_HINT = "say it more precisely, or answer it in text2mem repl"


@cache
def _replies() -> Mapping[str, Sequence[str]]:
    return tomllib.loads(resources.read_text("prompts", "replies.toml"))


@cache
def _number() -> re.Pattern[str]:
    before, after = ("|".join(map(re.escape, _replies()[key])) for key in ("before", "after"))
    return re.compile(rf"(?:{before})?\s*([0-9]{{1,9}})\s*(?:{after})?")


def agreed(line: str) -> bool:
    """Whether a line is a yes."""
    return _plain(line) in _replies()["yes"]


def read_reply(line: str, asked: Clarification) -> Program | str | None:
    """What a line in reply to a question means.

    The program of an option, the line itself where it says something else, None where the question
    is dropped. A yes chooses an option that is the only one; a number that is no option's is the id
    of a candidate, or what a question without options asks for. Raises NoSuchOption.
    """
    said = _plain(line)
    if said in _replies()["no"]:
        return None
    if said in _replies()["yes"] and len(asked.options) == 1:
        return asked.choose(1)
    number = _number().fullmatch(said)
    if number is None or not asked.options:
        return line
    within = 1 <= int(number[1]) <= len(asked.options)
    if not within and any(number[1] == one.get("id") for one in asked.candidates):
        return line
    return asked.choose(int(number[1]))


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


def _plain(line: str) -> str:
    """A line without case, without what ends a sentence, and with single blanks."""
    return " ".join(line.casefold().split()).rstrip(".!。！ ")
