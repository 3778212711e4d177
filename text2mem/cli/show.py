"""How programs, effects and errors are shown: rich text on a terminal, JSON in a pipe."""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING, Any

import click

from text2mem.errors import ModelOutputError, RepairExhausted, Text2MemError, ValidationError
from text2mem.ir.diagnostic import render

if TYPE_CHECKING:
    from rich.console import Console

    from text2mem.ir.result import ExecutionResult, ProgramResult
    from text2mem.pipeline import Program

_SHOWN = 12
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")


def on_terminal() -> bool:
    """Whether a person reads stdout."""
    return sys.stdout.isatty()


def for_people(form: str | None) -> bool:
    """Whether the output is text to read: asked for, or because stdout is a terminal."""
    return form == "text" or (form is None and on_terminal())


def emit(value: Any) -> None:
    """One JSON row on stdout, at once, so that the next command of a pipe can go on."""
    click.echo(json.dumps(value, ensure_ascii=False))


def visible(text: str) -> str:
    """Text without what would steer a terminal: control characters as escapes, except newlines."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def complain(message: str, hint: str = "", *, about: str = "") -> None:
    """An error on stderr: what it is about, what it is, and on its own line what to do."""
    lines = (f"{_short(about)}: {message}" if about else message).split("\n")
    said = "\n  ".join([f"error: {lines[0]}", *lines[1:], *([hint] if hint else [])])
    # Not through click, which would write past a progress bar.
    sys.stderr.write(f"{visible(said)}\n")
    sys.stderr.flush()


def complain_of_refusal(result: ProgramResult, *, about: str = "") -> None:
    """The failure that rolled a program back, if one did, on stderr."""
    failed = result.error
    if failed is not None:
        said = f"{failed.pointer or '/'}: {failed.message} [{failed.code}]"
        complain(said, failed.hint, about=about)


def console(*, err: bool = False) -> Console:
    """A rich console; the text of memories is never read as markup."""
    from rich.console import Console

    return Console(stderr=err, markup=False, highlight=False, soft_wrap=True)


def show_program(program: Program) -> None:
    """The program as JSON, an instance a line, coloured; a line is never cut off."""
    from rich.highlighter import JSONHighlighter

    highlighted = JSONHighlighter()
    for item in program.to_list():
        console().print(highlighted(visible(json.dumps(item, ensure_ascii=False))))
    if program.trace and len(program.trace.attempts) > 1:
        redrafts = len(program.trace.attempts) - 1
        console().print(f"  mended in {redrafts} redraft{'s' * (redrafts > 1)}:", style="yellow")
        for attempt in program.trace.attempts[:-1]:
            said = render(attempt.diagnostics) or attempt.fault
            console().print("    " + visible(said).replace("\n", "\n    "), style="dim")


def show_result(result: ProgramResult) -> None:
    """What each step did."""
    out = console()
    for step in result.results:
        if step.error is not None:
            out.print(visible(f"  ✗ {step.op}: {step.error.message}"), style="red")
            if step.error.hint:
                out.print(visible(f"    {step.error.hint}"), style="dim")
            continue
        out.print(f"  ✓ {summary(step)}", style="green")
        for row in step.rows:
            out.print("    " + visible(_row(row)).replace("\n", "\n      "))
        changes = [c for c in step.changes if c.before is not None or c.field in ("text", "tags")]
        for change in changes[:_SHOWN]:
            before, after = _short(change.before), _short(change.after)
            out.print(f"    {change.id}.{change.field}: {before} → {after}", style="dim")
        if len(changes) > _SHOWN:
            out.print(f"    and {len(changes) - _SHOWN} more changes", style="dim")
        for warning in step.warnings:
            out.print(visible(f"    note: {warning}"), style="yellow")


def summary(step: ExecutionResult) -> str:
    """One line on what a step did."""
    dry = " (dry run)" if step.dry_run else ""
    if step.op in ("Retrieve", "Summarize"):
        return f"{step.op}: {len(step.affected)} of {step.matched} matching memories{dry}"
    if step.created:
        return f"{step.op}: made {', '.join(step.created)}{dry}"
    changed = dict.fromkeys(change.id for change in step.changes)
    return f"{step.op}: changed {', '.join(changed) or 'nothing'}{dry}"


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


def _row(row: Any) -> str:
    if "summary" in row:
        return f"{row['summary']}  [{', '.join(row['ids'])}]"
    tags = f"  #{' #'.join(row['tags'])}" if row.get("tags") else ""
    return f"{row['id']}: {row.get('text', '')}{tags}"


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = visible(text.replace("\n", " "))
    return text if len(text) <= 60 else text[:57] + "…"
