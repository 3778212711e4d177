"""How programs, effects and errors are shown: rich text on a terminal, JSON in a pipe."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from text2mem.errors import ModelOutputError, RepairExhausted, Text2MemError, ValidationError
from text2mem.ir.diagnostic import Diagnostic, render

if TYPE_CHECKING:
    from rich.console import Console

    from text2mem.ir.result import ExecutionResult, ProgramResult
    from text2mem.pipeline import Program

_SHOWN = 12


def on_terminal() -> bool:
    """Whether a person reads stdout."""
    return sys.stdout.isatty()


def emit(value: Any) -> None:
    """One JSON row on stdout, at once, so that the next command of a pipe can go on."""
    click.echo(json.dumps(value, ensure_ascii=False))


def console(*, err: bool = False) -> Console:
    """A rich console; the text of memories is never read as markup."""
    from rich.console import Console

    return Console(stderr=err, markup=False, highlight=False, soft_wrap=True)


def show_program(program: Program) -> None:
    """The program as indented JSON, coloured."""
    from rich.syntax import Syntax

    text = "\n".join(json.dumps(item, ensure_ascii=False) for item in program.to_list())
    console().print(Syntax(text, "json", background_color="default", word_wrap=True))
    if program.trace and len(program.trace.attempts) > 1:
        redrafts = len(program.trace.attempts) - 1
        console().print(f"  mended in {redrafts} redraft{'s' * (redrafts > 1)}:", style="yellow")
        for attempt in program.trace.attempts[:-1]:
            said = render(attempt.diagnostics) or attempt.fault
            console().print("    " + said.replace("\n", "\n    "), style="dim")


def show_result(result: ProgramResult) -> None:
    """What each step did."""
    out = console()
    for step in result.results:
        if step.error is not None:
            out.print(f"  ✗ {step.op}: {step.error.message}", style="red")
            if step.error.hint:
                out.print(f"    {step.error.hint}", style="dim")
            continue
        out.print(f"  ✓ {summary(step)}", style="green")
        for row in step.rows:
            out.print(f"    {_row(row)}")
        changes = [c for c in step.changes if c.before is not None or c.field in ("text", "tags")]
        for change in changes[:_SHOWN]:
            before, after = _short(change.before), _short(change.after)
            out.print(f"    {change.id}.{change.field}: {before} → {after}", style="dim")
        if len(changes) > _SHOWN:
            out.print(f"    and {len(changes) - _SHOWN} more changes", style="dim")
        for warning in step.warnings:
            out.print(f"    note: {warning}", style="yellow")


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


def show_diagnostics(found: list[Diagnostic]) -> None:
    """Diagnostics as text."""
    click.echo(render(found))


def _row(row: Any) -> str:
    if "summary" in row:
        return f"{row['summary']}  [{', '.join(row['ids'])}]"
    tags = f"  #{' #'.join(row['tags'])}" if row.get("tags") else ""
    return f"{row['id']}: {row.get('text', '')}{tags}"


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "…"
