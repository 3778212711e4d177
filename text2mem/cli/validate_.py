"""``text2mem validate``: report all violations of a program."""

from __future__ import annotations

from itertools import chain

import click

from text2mem.cli import options, show
from text2mem.cli.inputs import Document, NoProgram, groups, program_of
from text2mem.ir.context import ExecutionContext
from text2mem.ir.diagnostic import Diagnostic, render


@click.command("validate")
@click.argument("source", metavar="[FILE]", required=False)
@options.time_options
@options.output_options
def command(source: str | None, now: str | None, tz: str | None) -> int:
    """Check the program of FILE, or of stdin; with --jsonl each line is a program or a row.

    Every violation is printed with its JSON Pointer. Exit code 1 where there is one.
    """
    context = options.when(now, tz)
    bad = 0
    for document in chain.from_iterable(groups(source, lines=show.form() == "jsonl")):
        found = _diagnostics(document, context)
        bad += bool(found)
        if show.for_people():
            where = f"line {document.line}: " if document.line else ""
            click.echo(where + (show.visible(render(found)) or "legal"))
        else:
            line = {"line": document.line} if document.line else {}
            show.emit({**line, "ok": not found, "diagnostics": [d.as_dict() for d in found]})
    return 1 if bad else 0


def _diagnostics(document: Document, context: ExecutionContext) -> list[Diagnostic]:
    from text2mem.pipeline import validate

    if isinstance(document.value, ValueError):
        return [Diagnostic("not-json", "", f"not JSON: {document.value}")]
    try:
        program = program_of(document.value)
    except NoProgram as error:
        return [Diagnostic("not-a-program", "", str(error))]
    return validate(program, now=context.clock.now(), tz=context.tz)
