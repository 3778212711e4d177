"""``text2mem export``: print all that a store holds on a subject."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from text2mem.adapters.sqlite.database import is_database
from text2mem.cli import options, show
from text2mem.cli.options import Caller
from text2mem.errors import ConfigurationError

_HELD = ("facts", "pointing", "waiting", "episodes", "memories")


@click.command("export")
@click.argument("subject")
@click.option("--out", metavar="FILE", type=click.Path(path_type=Path), help="Write it there.")
@options.caller_options()
@options.output_options
def command(subject: str, out: Path | None, caller: Caller) -> None:
    """Print all that is held on SUBJECT, as JSON: its facts with all versions, their sources.

    Facts whose value it is, what waits, the episodes, its other memories and how long they are
    kept belong to it; docs/forgetting.md says what each field is.
    """
    if not subject.strip():
        raise click.UsageError("no subject is named: is the variable empty?")
    if out is not None and _of_database(out):
        why = f"cannot write {out}: it is the store itself, or another database"
        raise ConfigurationError(why, hint="name another file")
    with caller.of_existing_store().memory() as memory:
        held = memory.export(subject)
    if show.for_people() and not any(held[name] for name in _HELD):
        click.echo(show.visible(f"nothing is held on {held['subject']}"), err=True)
        if out is None:
            return
    if out is None:
        show.row(held, json.dumps(held, ensure_ascii=False, indent=2))
        return
    _write(out, json.dumps(held, ensure_ascii=False, indent=2) + "\n")
    counts = {
        "facts": sum(len(line["versions"]) for line in held["facts"]),
        **{name: len(held[name]) for name in _HELD[1:]},
    }
    listed = ", ".join(f"{count} {name}" for name, count in counts.items())
    show.row({"out": str(out), "subject": held["subject"], **counts}, f"  {out}: {listed}")


def _of_database(out: Path) -> bool:
    """Whether a file is a database, of a store or a framework, or one that SQLite keeps beside."""
    named = os.path.realpath(out)
    return any(is_database(named.removesuffix(end)) for end in ("", "-wal", "-shm", "-journal"))


def _write(out: Path, text: str) -> None:
    """Write a file. An earlier one is replaced only after all is written.

    Symbolic links are followed. A pipe or a device is written to directly.
    """
    if out.is_dir():
        raise ConfigurationError(f"cannot write {out}: it is a folder", hint="name a file in it")
    partial = None
    try:
        if out.exists() and not out.is_file():
            out.write_text(text, "utf-8")
            return
        named = Path(os.path.realpath(out))
        partial = named.with_name(f".{named.name}.partial")
        partial.write_text(text, "utf-8")
        partial.replace(named)
    except OSError as error:
        if partial is not None:
            partial.unlink(missing_ok=True)
        raise ConfigurationError(f"cannot write {out}: {error.strerror}") from error
