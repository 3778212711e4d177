"""``text2mem exec``: programs on a store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from text2mem.cli import options, show
from text2mem.cli.inputs import NoProgram, documents, program_of
from text2mem.errors import (
    ConfigurationError,
    Text2MemError,
    UnsupportedOperation,
    ValidationError,
)
from text2mem.ir.diagnostic import render

if TYPE_CHECKING:
    from text2mem.adapters.base import Adapter
    from text2mem.ir.context import ExecutionContext


@click.command("exec")
@click.argument("source", metavar="[FILE]", required=False)
@options.store_options
@options.time_options
@options.output_options
def command(
    source: str | None, db: str | None, tenant: str, actor: str | None, roles: tuple[str, ...],
    dry_run: bool, yes: bool, now: str | None, tz: str | None, form: str | None,
) -> int:  # fmt: skip
    """Run the program of FILE, or of stdin: JSON, or with --jsonl a program or a row a line.

    A row is what `text2mem compile --jsonl` prints; one that failed there is passed on as failed.
    """
    from text2mem.adapters.registry import open_adapter

    at = options.when(now, tz)
    context = options.execution_context(
        at, tenant=tenant, actor=actor, roles=roles, dry_run=dry_run, yes=yes
    )
    adapter = open_adapter(options.store_name(db), tenant=tenant)
    failed = 0
    try:
        for document in documents(source, lines=form == "jsonl"):
            failed += not run_document(document.value, adapter, context, form)
    finally:
        adapter.close()
    return 1 if failed else 0


def run_document(value: Any, adapter: Adapter, context: ExecutionContext, form: str | None) -> bool:
    """Run one document and show what came of it; whether it went well."""
    from text2mem.pipeline import execute

    known: dict[str, Any] = {}
    if isinstance(value, dict) and isinstance(value.get("utterance"), str):
        known = {"utterance": value["utterance"]}
    about = known.get("utterance", "")
    try:
        if isinstance(value, ValueError):
            raise NoProgram({"type": "NotJSON", "message": f"not JSON: {value}", "hint": ""})
        result = execute(program_of(value), adapter, context=context)
    except NoProgram as error:
        show.complain(str(error), about=about)
        show.emit({**known, "ok": False, "error": error.error})
        return False
    except (ConfigurationError, UnsupportedOperation):
        raise
    except Text2MemError as error:
        if isinstance(error, ValidationError):
            show.complain(f"not a legal program:\n{render(error.diagnostics)}", about=about)
        else:
            show.complain(error.message, error.hint, about=about)
        show.emit({**known, "ok": False, "error": show.failure(error)})
        return False
    if show.for_people(form):
        show.show_result(result)
    else:
        show.complain_of_refusal(result, about=about)
        show.emit({**known, **result.as_dict()})
    return result.ok
