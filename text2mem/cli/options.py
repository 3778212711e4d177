"""Options that several commands share, and what they mean together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any, TypeVar

import click

from text2mem.clock import FixedClock, SystemClock
from text2mem.errors import ConfigurationError
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ports import Clock
from text2mem.ir.temporal import UnreadableTime, read_instant
from text2mem.settings import Settings, read_zone

F = TypeVar("F", bound=Callable[..., Any])


def _stack(function: F, options: list[Callable[[F], F]]) -> F:
    for option in reversed(options):
        function = option(function)
    return function


def time_options(function: F) -> F:
    """``--now`` and ``--tz``."""
    return _stack(
        function,
        [
            click.option("--now", metavar="INSTANT", help="Pretend that it is this instant."),
            click.option("--tz", metavar="ZONE", help="Zone of naive times (IANA). [TEXT2MEM_TZ]"),
        ],
    )


def model_options(function: F) -> F:
    """``--model``, ``--seed``, ``--attempts``."""
    return _stack(
        function,
        [
            click.option(
                "--model", "-m", metavar="PROVIDER:MODEL",
                help="Which model plans. [TEXT2MEM_MODEL, local:qwen2.5-coder-0.5b]",
            ),
            click.option("--seed", type=int, default=0, help="Seed of the sampler."),
            click.option(
                "--attempts", type=click.IntRange(0, 20), default=3, show_default=True,
                help="How often a bad draft goes back to the model.",
            ),
        ],
    )  # fmt: skip


def store_options(function: F) -> F:
    """``--db``, who is asking, and what is allowed."""
    return _stack(
        function,
        [
            click.option("--db", metavar="STORE", help="The store. [TEXT2MEM_DB, memory.db]"),
            click.option("--tenant", default="default", show_default=True, help="Whose memories."),
            click.option("--actor", help="Who is asking. Without it, the local user."),
            click.option("--role", "roles", multiple=True, help="A role of the actor. Repeatable."),
            click.option("--dry-run", is_flag=True, help="Show the effect, keep nothing."),
            click.option("--yes", is_flag=True, help="Confirm wide writes."),
        ],
    )


def output_options(function: F) -> F:
    """``--json``, ``--jsonl`` and ``--text``; without them, what stdout is decides."""
    return _stack(
        function,
        [
            click.option("--json", "form", flag_value="json", help="JSON, on a terminal too."),
            click.option("--jsonl", "form", flag_value="jsonl", help="One JSON row an input."),
            click.option("--text", "form", flag_value="text", help="As on a terminal."),
        ],
    )


@dataclass(frozen=True, slots=True)
class When:
    """The clock and the zone that a command runs with."""

    clock: Clock
    tz: tzinfo


def when(now: str | None, tz: str | None) -> When:
    """What ``--now`` and ``--tz`` say."""
    zone = read_zone(tz or Settings.from_environment().tz)
    if now is None:
        return When(SystemClock(), zone)
    try:
        instant = read_instant(now, now=SystemClock().now(), tz=zone)
    except UnreadableTime as error:
        raise ConfigurationError(f"--now: {error}") from error
    return When(FixedClock(instant), zone)


def execution_context(
    at: When, *, tenant: str, actor: str | None, roles: tuple[str, ...], dry_run: bool, yes: bool
) -> ExecutionContext:
    """The caller's context of a run; ``--yes`` trusts a document's own confirmation, too."""
    if roles and actor is None:
        raise click.UsageError("a --role needs an --actor: without one the local user asks")
    return ExecutionContext(
        tenant=tenant, actor=actor, roles=frozenset(roles), clock=at.clock, tz=at.tz,
        confirmed=yes, dry_run=dry_run, trust_meta=yes,
    )  # fmt: skip


def store_name(db: str | None) -> str:
    """The store that ``--db`` or the environment names."""
    return db or Settings.from_environment().store
