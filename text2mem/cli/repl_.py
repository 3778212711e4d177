"""``text2mem repl``: a conversation with a store."""

from __future__ import annotations

import sys

import click

from text2mem.cli import options, show
from text2mem.errors import ConfigurationError, Text2MemError
from text2mem.ir.ops import READS

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
    """Talk to a store: see a program and its effect before it runs. --yes does not ask."""
    from text2mem.pipeline import Memory

    at = options.when(now, tz)
    context = options.execution_context(
        at, tenant=tenant, actor=actor, roles=roles, dry_run=dry_run, yes=yes
    )
    turns: list[str] = []
    with Memory(options.store_name(db), model=model, context=context) as memory:
        if sys.stdin.isatty():
            click.echo(_HELP, err=True)
        while (line := _next_line()) is not None:
            if line in (":quit", ":q"):
                break
            if line == ":help":
                click.echo(_HELP, err=True)
            elif line == ":tags":
                click.echo(", ".join(memory.view().tags()) or "none yet")
            elif line:
                _turn(line, memory, turns, ask=not (yes or dry_run), seed=seed, attempts=attempts)
                turns = [*turns, line][-_REMEMBERED:]
    return 0


def _next_line() -> str | None:
    try:
        return input("› " if sys.stdin.isatty() else "").strip()
    except EOFError:
        return None
    except KeyboardInterrupt:
        click.echo("", err=True)
        return ""


def _turn(
    line: str, memory: object, turns: list[str], *, ask: bool, seed: int, attempts: int
) -> None:
    from text2mem.pipeline import Memory
    from text2mem.planner import Budget

    assert isinstance(memory, Memory)
    try:
        program = memory.compile(line, context=turns, seed=seed, budget=Budget(attempts=attempts))
        show.show_program(program)
        reads = all(op.name in READS for op in program.ops)
        if ask and not reads:
            preview = memory.preview(program)
            show.show_result(preview)
            if not preview.ok or not _agreed():
                return
        show.show_result(memory.execute(program))
    except ConfigurationError:
        raise
    except Text2MemError as error:
        click.echo(f"error: {error}", err=True)
    except KeyboardInterrupt:
        click.echo("interrupted", err=True)


def _agreed() -> bool:
    try:
        return input("run it? [y/N] ").strip().lower() in ("y", "yes", "是", "好")
    except (EOFError, KeyboardInterrupt):
        return False
