"""``text2mem registry``: show, set and check the registry of attributes and memory types."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING

import click

from text2mem.cli import options, show
from text2mem.cli.inputs import require_json, text_of
from text2mem.errors import ConfigurationError
from text2mem.ir.context import ExecutionContext

if TYPE_CHECKING:
    from text2mem.ir.registry import Registry


@click.group("registry")
def command() -> None:
    """Show, set and check what is known of attributes and memory types."""


@command.command("show", short_help="Print the registry of the store.")
@options.store_options
def show_registry(db: str | None, tenant: str) -> None:
    """Print the registry of the store as JSON, in the form that `set` takes.

    A store that does not exist has the one that is shipped.
    """
    from text2mem.adapters.registry import open_adapter
    from text2mem.adapters.shipped import shipped_registry

    name = options.store_name(db)
    path = options.store_path(name)
    if path is not None and not path.exists():
        registry = shipped_registry()
    else:
        with closing(open_adapter(name, tenant=tenant)) as adapter:
            registry = adapter.registry()
    click.echo(json.dumps(registry.to_document(), ensure_ascii=False, indent=2))


@command.command("check", short_help="Say everything that is wrong with one.")
@click.argument("source", metavar="[FILE]", required=False)
@options.output_options
def check(source: str | None) -> int:
    """Say everything that is wrong with the registry of FILE, or of stdin; exit code 1 then."""
    text = text_of(source)
    try:
        registry = _read(text)
    except ConfigurationError as error:
        show.row({"ok": False, "error": error.as_dict()}, str(error))
        return 1
    show.row({"ok": True, "version": registry.version}, "legal")
    return 0


@command.command("set", short_help="Give the store another one.")
@click.argument("source", metavar="[FILE]", required=False)
@options.store_options
@options.output_options
def set_registry(source: str | None, db: str | None, tenant: str) -> int:
    """Give the store the registry of FILE, or of stdin; its version must be a greater one."""
    from text2mem.memory import Memory

    text, store = text_of(source), options.store_name(db)
    try:
        registry = _read(text)
    except ConfigurationError as error:
        return _show_refusal(error)
    with Memory(store, embedder="none", context=ExecutionContext(tenant=tenant)) as memory:
        before = memory.registry.version
        try:
            memory.registry = registry
        except ConfigurationError as error:
            return _show_refusal(error)
    row = {"ok": True, "version": registry.version, "before": before}
    show.row(row, f"version {registry.version} in place of {before}")
    return 0


def _show_refusal(error: ConfigurationError) -> int:
    show.show_error("", error, ok=False)
    return 1


def _read(text: str) -> Registry:
    from text2mem.ir.registry import Registry

    return Registry.load(require_json(text))
