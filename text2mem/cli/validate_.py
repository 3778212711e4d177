"""``text2mem validate``: everything that is wrong with a program."""

from __future__ import annotations

import sys

import click

from text2mem.cli import options, show
from text2mem.cli.inputs import documents
from text2mem.ir.diagnostic import Diagnostic


@click.command("validate")
@click.argument("source", metavar="[FILE]", required=False)
@options.time_options
@options.output_options
def command(source: str | None, now: str | None, tz: str | None, form: str | None) -> int:
    """Check the program of FILE, or of stdin; with --jsonl each line is one.

    Every violation is printed with its JSON Pointer. Exit code 1 where there is one.
    """
    from text2mem.pipeline import validate

    at = options.when(now, tz)
    bad = 0
    for number, document in enumerate(documents(source, lines=form == "jsonl"), 1):
        if isinstance(document, ValueError):
            found = [Diagnostic("not-json", "", f"not JSON: {document}")]
        else:
            found = validate(document, now=at.clock.now(), tz=at.tz)
        bad += bool(found)
        if form is None and sys.stdout.isatty():
            show.show_diagnostics(found) if found else click.echo("legal")
        else:
            row = {"ok": not found, "diagnostics": [d.as_dict() for d in found]}
            show.emit({"line": number, **row} if form == "jsonl" else row)
    return 1 if bad else 0
