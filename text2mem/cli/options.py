"""Options that several commands share, and the objects that are made from their values."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import MAXYEAR, MINYEAR
from functools import partial, wraps
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from text2mem.cli import show
from text2mem.clock import FixedClock, SystemClock
from text2mem.errors import ConfigurationError
from text2mem.ir.context import ExecutionContext
from text2mem.ir.times.duration import UnreadableTime
from text2mem.ir.times.temporal import read_instant
from text2mem.settings import DEFAULT_MODEL, Settings, read_zone

if TYPE_CHECKING:
    from text2mem.adapters.base import Adapter
    from text2mem.memory import Memory

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[Any], Any]

_NOW = click.option("--now", metavar="INSTANT", help="Pretend that it is this instant.")
_TZ = click.option("--tz", metavar="ZONE", help="Zone of naive times (IANA). [TEXT2MEM_TZ]")
_DRY_RUN = click.option("--dry-run", is_flag=True, help="Show the effect, keep nothing.")
_YES = click.option("--yes", is_flag=True, help="Confirm wide writes.")
_DB = click.option("--db", metavar="STORE", help="The store. [TEXT2MEM_DB, memory.db]")
tenant_option = click.option(
    "--tenant", default="default", show_default=True, help="Whose memories."
)


def together(*options: Decorator) -> Callable[[F], F]:
    """Return one decorator for several options. The help lists them in this order."""

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def as_one(name: str, make: Callable[..., Any], *options: Decorator) -> Callable[[F], F]:
    """Return one decorator for several options, which passes ``make(**values)`` as ``name``.

    ``make`` gets the options for which it has parameters. The others are passed to the command.
    """
    taken = signature(make).parameters

    def decorate(function: F) -> F:
        @wraps(function)
        def call(*arguments: Any, **others: Any) -> Any:
            values = {each: others.pop(each) for each in taken if each in others}
            return function(*arguments, **{name: make(**values)}, **others)

        return together(*options)(call)  # type: ignore[return-value]

    return decorate


def learn_option(what: str) -> Callable[[F], F]:
    """Return the option ``--learn``, as the argument ``learns``."""
    return click.option("--learn", "learns", is_flag=True, help=what)


def model_option(what: str) -> Callable[[F], F]:
    """Return the option ``--model``."""
    told = f"{what} [TEXT2MEM_MODEL, {DEFAULT_MODEL}]"
    return click.option("--model", "-m", metavar="PROVIDER:MODEL", help=told)


LEARNS = "Keep what your own words turned out to mean, and read with it."
time_options = together(_NOW, _TZ)
store_options = together(_DB, tenant_option)
model_options = together(
    model_option("Which model plans."),
    click.option("--seed", type=int, default=0, help="Seed of the sampler."),
    click.option(
        "--attempts", type=click.IntRange(0, 20), default=3, show_default=True,
        help="How often a bad draft goes back to the model.",
    ),
)  # fmt: skip


def _keep_form(ctx: click.Context, option: click.Parameter, form: str | None) -> None:
    ctx.meta[show.FORM] = form


_form_option = partial(click.option, callback=_keep_form, is_eager=True, expose_value=False)
output_options = together(
    _form_option("--json", "form", flag_value="json", help="JSON, on a terminal too."),
    _form_option("--jsonl", "form", flag_value="jsonl", help="One JSON row an input."),
    _form_option("--text", "form", flag_value="text", help="As on a terminal."),
)
"""``--json``, ``--jsonl`` and ``--text``. By default, a terminal gets text and a pipe JSON."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The name of a store, and the context to use it with."""

    store: str
    context: ExecutionContext

    def of_existing_store(self) -> Caller:
        """Return the caller. Raises ConfigurationError if its store does not exist."""
        require_store(self.store)
        return self

    def adapter(self) -> closing[Adapter]:
        """Open the store, to be closed by ``with``. Raises ConfigurationError, StoreError."""
        from text2mem.adapters.registry import open_adapter

        return closing(open_adapter(self.store, tenant=self.context.tenant))

    def memory(
        self, embedder: str | None = "none", *, policy: str | None = None,
        reader: str | None = "none",
    ) -> Memory:  # fmt: skip
        """Open the store without a model that plans. ``reader`` reads conversations. Raises
        ConfigurationError, StoreError."""
        from text2mem.memory import Memory

        return Memory(
            self.store, context=self.context, embedder=embedder, summariser="extractive",
            policy=policy, reader=reader,
        )  # fmt: skip


def caller_options(*, dry_run: bool = False, yes: bool = False) -> Callable[[F], F]:
    """Return the options of a Caller, as the argument ``caller``."""
    return as_one(
        "caller", _caller, _DB, tenant_option,
        click.option("--actor", help="Who is asking. Without it, the local user."),
        click.option("--role", "roles", multiple=True, help="A role of the actor. Repeatable."),
        *([_DRY_RUN] if dry_run else []), *([_YES] if yes else []), _NOW, _TZ,
    )  # fmt: skip


def _caller(
    db: str | None, tenant: str, actor: str | None, roles: tuple[str, ...], now: str | None,
    tz: str | None, dry_run: bool = False, yes: bool = False,
) -> Caller:  # fmt: skip
    context = when(now, tz)
    if roles and actor is None:
        raise click.UsageError("a --role needs an --actor: without one the local user asks")
    # --yes confirms wide writes, and accepts the confirmation in a document's own meta, too.
    context = replace(
        context, tenant=tenant, actor=actor, roles=frozenset(roles), confirmed=yes,
        dry_run=dry_run, trust_meta=yes,
    )  # fmt: skip
    return Caller(store_name(db), context)


def when(now: str | None, tz: str | None) -> ExecutionContext:
    """Return the local user's context by ``--now`` and ``--tz``. Raises ConfigurationError."""
    zone = read_zone(tz or Settings.from_environment().tz)
    if now is None:
        return ExecutionContext(tz=zone)
    try:
        instant = read_instant(now, now=SystemClock().now(), tz=zone)
    except UnreadableTime as error:
        raise ConfigurationError(f"--now: {error}") from error
    if instant.year in (MINYEAR, MAXYEAR):  # times relative to it would leave the calendar
        raise ConfigurationError(
            f"--now: {now} is at the end of the calendar",
            hint=f"name an instant from {MINYEAR + 1} to {MAXYEAR - 1}",
        )
    return ExecutionContext(clock=FixedClock(instant), tz=zone)


def store_name(db: str | None) -> str:
    """Return the store that ``--db`` or the environment names. Raises ConfigurationError."""
    if db is not None and not db.strip():
        raise ConfigurationError("--db names no store", hint="is the variable empty?")
    return db or Settings.from_environment().store


def store_path(name: str) -> Path | None:
    """Return the file of a SQLite store; None for another store."""
    from text2mem.adapters.registry import IN_MEMORY, split_name

    adapter, path = split_name(name)
    return Path(path) if adapter == "sqlite" and path != IN_MEMORY else None


def require_store(name: str) -> None:
    """Raise ConfigurationError if a store's file does not exist: a look at it must not make it."""
    path = store_path(name)
    if path is not None and not os.path.exists(path):  # Path.exists raises if the name is too long
        raise ConfigurationError(
            f"there is no store {name}",
            hint="name one with --db or TEXT2MEM_DB; observe, run, exec, repl and mcp make it",
        )
