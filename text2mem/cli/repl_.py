"""``text2mem repl``: a conversation with a store."""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from text2mem.cli import options, show
from text2mem.cli.inputs import require_unicode
from text2mem.errors import ConfigurationError, ServiceError, Text2MemError
from text2mem.ir.ops import READS

if TYPE_CHECKING:
    from text2mem.memory import Memory
    from text2mem.pipeline import Program
    from text2mem.planner import Budget

_HELP = """\
Say something about your memories: "remember that …", "forget …", "what do I know about …".
A program that changes something is shown with its effect, and run when you agree.
:help   this text        :tags   the tags in use
:quit   leave (or Ctrl-D)"""
_REMEMBERED = 4


@click.command("repl")
@options.model_options
@options.store_options
@options.time_options
def command(
    model: str | None, seed: int, attempts: int, db: str | None, tenant: str, actor: str | None,
    roles: tuple[str, ...], dry_run: bool, yes: bool, now: str | None, tz: str | None,
) -> int:  # fmt: skip
    """Talk to a store: see a program and its effect before it runs. --yes does not ask.

    From a pipe, the line after a program that changes something is the answer: y or n.
    """
    from text2mem.memory import Memory
    from text2mem.planner import Budget

    at = options.when(now, tz)
    context = options.execution_context(
        at, tenant=tenant, actor=actor, roles=roles, dry_run=dry_run, yes=yes
    )
    turns: list[str] = []
    failed = 0
    with Memory(options.store_name(db), model=model, context=context) as memory:
        if _talking():
            with suppress(ImportError):
                import readline  # noqa: F401  (gives ``input`` a history and keys that edit)
            click.echo(_HELP, err=True)
        while (line := _next_line()) is not None:
            if line in (":quit", ":q"):
                break
            if line == ":help":
                click.echo(_HELP, err=True)
            elif line == ":tags":
                click.echo(show.visible(", ".join(memory.view().tags())) or "none yet")
            elif line.startswith(":"):
                show.complain(f"there is no command '{line}'", ":help lists them")
            elif line:
                ask = not (yes or dry_run)
                failed += not _turn(line, memory, turns, seed, Budget(attempts=attempts), ask=ask)
                turns = [*turns, line][-_REMEMBERED:]
    return 1 if failed and not _talking() else 0


def _talking() -> bool:
    """Whether a person sits there, who sees an error and goes on."""
    return sys.stdin.isatty()


def _next_line() -> str | None:
    try:
        return _input("› " if _talking() else "")
    except EOFError:
        if _talking():
            click.echo("", err=True)
        return None
    except KeyboardInterrupt:
        click.echo("", err=True)
        return ""


def _input(prompt: str) -> str:
    """A line of stdin; where stdout is data, the prompt goes to stderr."""
    if not show.on_terminal():
        click.echo(prompt, nl=False, err=True)
        prompt = ""
    return input(prompt).removeprefix("\ufeff").strip()


def _turn(
    line: str, memory: Memory, turns: list[str], seed: int, budget: Budget, *, ask: bool
) -> bool:
    """One utterance; False where it failed, True too where the person did not agree."""
    try:
        require_unicode(line)
        program = memory.compile(line, context=turns, seed=seed, budget=budget)
        show.show_program(program)
        if ask and not all(op.name in READS for op in program.ops):
            return _run_when_agreed(program, memory)
        result = memory.execute(program)
        show.show_result(result)
    except (ConfigurationError, ServiceError) as error:
        if not _talking():
            raise
        show.complain(error.message, error.hint)
        return False
    except Text2MemError as error:
        show.complain(error.message, error.hint)
        return False
    except KeyboardInterrupt:
        click.echo("interrupted", err=True)
        return False
    return result.ok


def _run_when_agreed(program: Program, memory: Memory) -> bool:
    """Show the effect and ask; who agrees has confirmed a wide write, too."""
    preview = memory.preview(program)
    show.show_result(preview)
    if not preview.ok or not _agreed():
        return preview.ok
    asked_as = memory.context
    memory.context = replace(asked_as, confirmed=True)
    try:
        result = memory.execute(program)
    finally:
        memory.context = asked_as
    show.show_result(result)
    return result.ok


def _agreed() -> bool:
    try:
        return _input("run it? [y/N] ").lower() in ("y", "yes", "是", "好")
    except (EOFError, KeyboardInterrupt):
        click.echo("", err=True)
        return False
