"""``text2mem export``: all that is held on a subject."""

from __future__ import annotations

import json
from pathlib import Path

import click

from text2mem.cli import options, show
from text2mem.cli.options import Caller
from text2mem.errors import ConfigurationError

_HELD = ("facts", "pointing", "waiting", "episodes", "memories")


@click.command("export")
@click.argument("subject")
@click.option("--out", metavar="FILE", type=click.Path(path_type=Path), help="Write it there.")
@options.caller_options()
@options.output_options
def command(subject: str, out: Path | None, caller: Caller, form: str | None) -> None:
    """Print all that is held on SUBJECT, as JSON: its facts with all versions, their sources.

    Facts whose value it is, what waits, the episodes, its other memories and how long they are
    kept belong to it; docs/forgetting.md says what each field is.
    """
    from text2mem.memory import Memory

    caller.of_existing_store()
    with Memory(caller.store, embedder="none", context=caller.context) as memory:
        held = memory.export(subject)
    if show.for_people(form) and not any(held[name] for name in _HELD):
        click.echo(show.visible(f"nothing is held on {held['subject']}"), err=True)
        return
    if out is None:
        if show.for_people(form):
            click.echo(show.visible(json.dumps(held, ensure_ascii=False, indent=2)))
        else:
            show.emit(held)
        return
    written = json.dumps(held, ensure_ascii=False, indent=2) + "\n"
    partial = out.with_name(f".{out.name}.partial")
    try:
        partial.write_text(written, "utf-8")
        partial.replace(out)  # what was there before stays until all is written
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise ConfigurationError(f"cannot write {out}: {error.strerror}") from error
    counts = {
        "facts": sum(len(line["versions"]) for line in held["facts"]),
        **{name: len(held[name]) for name in _HELD[1:]},
    }
    if show.for_people(form):
        told = ", ".join(f"{count} {name}" for name, count in counts.items())
        click.echo(show.visible(f"  {out}: {told}"))
    else:
        show.emit({"out": str(out), "subject": held["subject"], **counts})
