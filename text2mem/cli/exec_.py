"""``text2mem exec``: programs on a store."""

from __future__ import annotations

from typing import Any

import click

from text2mem.cli import options, show
from text2mem.cli.inputs import documents
from text2mem.errors import ConfigurationError, Text2MemError, UnsupportedOperation


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
            failed += not run_document(document, adapter, context, form=form)
    finally:
        adapter.close()
    return 1 if failed else 0


def run_document(document: Any, adapter: Any, context: Any, *, form: str | None) -> bool:
    """Run one document and show what came of it; whether it went well."""
    from text2mem.pipeline import execute

    if isinstance(document, ValueError):
        return _failed({}, {"type": "NotJSON", "message": f"not JSON: {document}", "hint": ""})
    known: dict[str, Any] = {}
    if isinstance(document, dict) and "op" not in document and "status" in document:
        known = {k: document[k] for k in ("utterance",) if k in document}
        if document["status"] != "ok" or "program" not in document:
            error = document.get("error") or {"type": "Row", "message": "the row has no program"}
            return _failed(known, error)
        document = document["program"]
    try:
        result = execute(document, adapter, context=context)
    except (ConfigurationError, UnsupportedOperation):
        raise
    except Text2MemError as error:
        return _failed(known, show.failure(error))
    if form is None and show.on_terminal():
        show.show_result(result)
    else:
        show.emit({**known, **result.as_dict()})
    return result.ok


def _failed(known: dict[str, Any], error: dict[str, Any]) -> bool:
    where = f"{known['utterance']}: " if known.get("utterance") else ""
    click.echo(f"error: {where}{error.get('message', '')}", err=True)
    for found in error.get("diagnostics", ()):
        click.echo(f"  {found['pointer'] or '/'}: {found['message']} [{found['code']}]", err=True)
    show.emit({**known, "ok": False, "error": error})
    return False
