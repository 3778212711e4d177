"""Print programs, effects and errors: rich text on a terminal, JSON in a pipe."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from typing import TYPE_CHECKING, Any, TypeVar

import click

from text2mem.errors import Text2MemError, ValidationError
from text2mem.ir.diagnostic import render
from text2mem.ir.effects import Kind, changes, refusal, short, step_in_words
from text2mem.ir.effects import visible as visible
from text2mem.messages import complaint, message

if TYPE_CHECKING:
    from rich.console import Console

    from text2mem.ir.result import ProgramResult
    from text2mem.planner import Trace
    from text2mem.program import Program

T = TypeVar("T")
FORM = "text2mem.form"
"""The key of the output's form in the ``meta`` of click's contexts: json, jsonl, text, or None."""
_MARKS: Mapping[Kind, tuple[str, str]] = {
    "done": ("  ✓ ", "green"), "refused": ("  ✗ ", "red"), "hint": ("    ", "dim"),
    "row": ("    ", ""), "change": ("    ", "dim"), "note": ("    ", "yellow"),
}  # fmt: skip
"""The prefix and the style of each kind of line."""


def on_terminal() -> bool:
    """Whether stdout is a terminal."""
    return sys.stdout.isatty()


def form() -> str | None:
    """The form that the options of the running command ask for; None if they leave it open."""
    context = click.get_current_context(silent=True)
    return None if context is None else context.meta.get(FORM)


def for_people() -> bool:
    """Whether the output is text for people: by ``--text``, or because stdout is a terminal."""
    return form() == "text" or (form() is None and on_terminal())


def emit(value: Any) -> None:
    """Print a JSON row to stdout at once, for the next command of a pipe."""
    click.echo(json.dumps(value, ensure_ascii=False))


def rows(
    found: Sequence[T], told: Callable[[T], str], as_row: Callable[[T], Any] = lambda row: row,
    *, nothing: str = "",
) -> None:  # fmt: skip
    """Print items as JSON, or for people as text by ``told``; ``nothing`` if there are none."""
    if not for_people():
        for each in found:
            emit(as_row(each))
        return
    for each in found:
        line(told(each))
    if nothing and not found:
        line(nothing)


def row(value: Mapping[str, Any], words: str) -> None:
    """Print the outcome of a command: as JSON, or for people as the text ``words``."""
    if for_people():
        click.echo(visible(words))
    else:
        emit(value)


def complain(why: str, hint: str = "", *, about: str = "", said: str = "") -> None:
    """Print an error to stderr: ``about`` and the message, and the hint on a line of its own. The
    words around it are in the language of ``said``."""
    told = message("of-these", said, what=short(about), texts=why) if about else why
    first, *lines = message("error", said, words=told).split("\n")
    said = "\n  ".join([first, *lines, *([hint] if hint else [])])
    # click would write over a progress bar.
    sys.stderr.write(f"{visible(said)}\n")
    sys.stderr.flush()


def result(
    result: ProgramResult, tz: tzinfo, *, about: str = "", basis: bool = False, **row: Any
) -> None:
    """Print a program's result: for people by ``show_result``, else as JSON with further keys.

    With JSON, a refusal is also printed to stderr.
    """
    if for_people():
        show_result(result, tz, about, basis=basis)
        return
    refused = result.error
    if refused is not None:
        where = f"{refused.pointer}: " if refused.pointer else ""
        complain(f"{where}{refusal(refused)} [{refused.code}]", refused.hint, about=about)
    emit({**row, **result.as_dict()})


def show_error(about: str, error: Text2MemError, **row: Any) -> None:
    """Print an error about a line of input to stderr, and as JSON with the keys of ``row``."""
    if isinstance(error, ValidationError):
        complain(f"not a legal program:\n{render(error.diagnostics)}", about=about)
    else:
        complain(*complaint(error, about), about=about, said=about)
    if not for_people():
        emit({**row, "error": error.as_dict()})


def show_last_error(error: Text2MemError | click.ClickException) -> None:
    """Print an error that ends a command as JSON after ``--json``. Rows of ``--jsonl`` and of a
    pipe are of an input each, so that there stderr and the exit code tell it."""
    if form() != "json":
        return
    if isinstance(error, Text2MemError):
        told = error.as_dict()
    else:
        told = {"type": type(error).__name__, "message": error.format_message(), "hint": ""}
    emit({"ok": False, "error": told})


def console() -> Console:
    """Return a rich console that shows the text of memories as it is: no markup, no emoji codes."""
    from rich.console import Console

    class Piped(Console):
        def on_broken_pipe(self) -> None:
            """Let ``main`` handle a closed stdout. rich would end the process with a failure."""
            raise BrokenPipeError

    return Piped(markup=False, emoji=False, highlight=False, soft_wrap=True)


def line(text: str, style: str | None = None) -> None:
    """Print text for people, with control characters made visible."""
    console().print(visible(text), style=style)


def show_program(program: Program) -> None:
    """Print a program as coloured JSON, an instance per line, with its warnings and repairs."""
    from rich.highlighter import JSONHighlighter

    highlighted = JSONHighlighter()
    for item in program.to_list():
        console().print(highlighted(visible(json.dumps(item, ensure_ascii=False))))
    for each in program.warnings:
        line(f"  {message('note', program.utterance or '', words=each.message)}", "yellow")
    if program.trace and len(program.trace.attempts) > 1:
        redrafts = len(program.trace.attempts) - 1
        line(f"  mended in {redrafts} redraft{'s' * (redrafts > 1)}:", "yellow")
        for attempt in program.trace.attempts[:-1]:
            said = render(attempt.diagnostics) or attempt.fault
            line(f"    {said}".replace("\n", "\n    "), "dim")


def show_result(result: ProgramResult, tz: tzinfo, said: str = "", *, basis: bool = False) -> None:
    """Print the effects of each step, and the trace by which they can be undone.

    The text is in the language of ``said``. With ``basis``, the basis of a dry run is printed, too.
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
