"""How programs, effects and errors are shown: rich text on a terminal, JSON in a pipe."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import tzinfo
from typing import TYPE_CHECKING, Any, TypeVar

import click

from text2mem.errors import ModelOutputError, RepairExhausted, Text2MemError, ValidationError
from text2mem.ir.diagnostic import render
from text2mem.ir.effects import Kind, changes, changes_in_words, refusal, short, step_in_words
from text2mem.ir.effects import visible as visible

if TYPE_CHECKING:
    from rich.console import Console

    from text2mem.ir.result import Change, ProgramResult
    from text2mem.program import Program

T = TypeVar("T")
_MARKS: Mapping[Kind, tuple[str, str]] = {
    "done": ("  ✓ ", "green"), "refused": ("  ✗ ", "red"), "hint": ("    ", "dim"),
    "row": ("    ", ""), "change": ("    ", "dim"), "note": ("    ", "yellow"),
}  # fmt: skip
"""What stands before a line of each kind, and its style."""


def on_terminal() -> bool:
    """Whether stdout is a terminal."""
    return sys.stdout.isatty()


def for_people(form: str | None) -> bool:
    """Whether the output is text to read: asked for, or because stdout is a terminal."""
    return form == "text" or (form is None and on_terminal())


def emit(value: Any) -> None:
    """One JSON row on stdout, at once, so that the next command of a pipe can go on."""
    click.echo(json.dumps(value, ensure_ascii=False))


def rows(
    found: Sequence[T], form: str | None, told: Callable[[T], str],
    as_row: Callable[[T], Any] = lambda row: row, *, nothing: str = "",
) -> None:  # fmt: skip
    """Print each thing as JSON by ``as_row``, or for people in words by ``told``, who read
    ``nothing`` where there are none."""
    if not for_people(form):
        for each in found:
            emit(as_row(each))
        return
    for each in found:
        line(told(each))
    if nothing and not found:
        line(nothing)


def row(value: Mapping[str, Any], form: str | None, words: str) -> None:
    """Print the outcome of a command as JSON, or for people in ``words``."""
    if for_people(form):
        click.echo(visible(words))
    else:
        emit(value)


def complain(message: str, hint: str = "", *, about: str = "") -> None:
    """Print an error to stderr: what it is about, the message, and the hint on its own line."""
    lines = (f"{short(about)}: {message}" if about else message).split("\n")
    said = "\n  ".join([f"error: {lines[0]}", *lines[1:], *([hint] if hint else [])])
    # Not through click, which would write past a progress bar.
    sys.stderr.write(f"{visible(said)}\n")
    sys.stderr.flush()


def result(
    result: ProgramResult, form: str | None, tz: tzinfo, *, about: str = "", basis: bool = False,
    **row: Any,
) -> None:  # fmt: skip
    """Print a program's result: for people by ``show_result``, else as a row, with a refusal on
    stderr besides."""
    if for_people(form):
        show_result(result, tz, about, basis=basis)
        return
    refused = result.error
    if refused is not None:
        where = f"{refused.pointer}: " if refused.pointer else ""
        complain(f"{where}{refusal(refused)} [{refused.code}]", refused.hint, about=about)
    emit({**row, **result.as_dict()})


def failed(about: str, error: Text2MemError, form: str | None, **row: Any) -> None:
    """Print an error about a line of input to stderr, and as a row where rows are printed."""
    complain(error.message, error.hint, about=about)
    if not for_people(form):
        emit({**row, "error": failure(error)})


def console() -> Console:
    """A rich console; the text of memories is never read as markup."""
    from rich.console import Console

    class Piped(Console):
        def on_broken_pipe(self) -> None:
            """Leaves a closed stdout to ``main``; rich would end the process with a failure."""
            raise BrokenPipeError

    return Piped(markup=False, highlight=False, soft_wrap=True)


def line(text: str, style: str | None = None) -> None:
    """Print text for people, with control characters made visible."""
    console().print(visible(text), style=style)


def show_program(program: Program) -> None:
    """The program as JSON, an instance a line, coloured; a line is never cut off."""
    from rich.highlighter import JSONHighlighter

    highlighted = JSONHighlighter()
    for item in program.to_list():
        console().print(highlighted(visible(json.dumps(item, ensure_ascii=False))))
    for each in program.warnings:
        line(f"  note: {each.message}", "yellow")
    if program.trace and len(program.trace.attempts) > 1:
        redrafts = len(program.trace.attempts) - 1
        line(f"  mended in {redrafts} redraft{'s' * (redrafts > 1)}:", "yellow")
        for attempt in program.trace.attempts[:-1]:
            said = render(attempt.diagnostics) or attempt.fault
            line(f"    {said}".replace("\n", "\n    "), "dim")


def show_result(
    result: ProgramResult, tz: tzinfo, said: str = "", *, basis: bool = False
) -> None:  # fmt: skip
    """What each step did, in the language of what was ``said``, and the trace by which it can be
    taken back.

    With ``basis``, of a dry run what the run after it is given.
    """
    from text2mem.planner.effects import InWords

    words = InWords(tz, said)
    for step in result.results:
        for kind, text in step_in_words(step, words=words):
            mark, style = _MARKS[kind]
            line(mark + text.replace("\n", "\n      "), style)
    if result.ok and not result.dry_run and changes(result):
        line(f"  trace {result.trace_id}", "dim")
    if basis and result.basis is not None:
        line(f"  basis {result.basis}", "dim")


def show_changes(changes: Iterable[Change], tz: tzinfo) -> None:
    """The first fields that changed, a line each."""
    from text2mem.planner.effects import InWords

    for each in changes_in_words(changes, InWords(tz)):
        line(f"    {each}", "dim")


def failure(error: Text2MemError) -> dict[str, Any]:
    """An error as JSON: its class, what it says, and its diagnostics or attempts."""
    out: dict[str, Any] = {
        "type": type(error).__name__,
        "message": error.message,
        "hint": error.hint,
    }
    if isinstance(error, ValidationError):
        out["diagnostics"] = [d.as_dict() for d in error.diagnostics]
    if isinstance(error, RepairExhausted):
        out["attempts"] = len(error.attempts)
    if isinstance(error, ModelOutputError) and error.raw:
        out["raw"] = error.raw
    return out
