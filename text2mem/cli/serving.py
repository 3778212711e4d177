"""What the commands that serve a store have in common: their options, and the store."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from text2mem.cli import options
from text2mem.cli.options import Caller, F
from text2mem.cli.services import PLANNING_SUMMARISER, Services, service_options

if TYPE_CHECKING:
    from text2mem.doors.agent.store import Store


@dataclass(frozen=True, slots=True)
class Serving:
    """Whose store is served, and with which model; ``token`` is the one that was named, if any."""

    caller: Caller
    services: Services
    model: str | None
    seed: int
    attempts: int
    token: str | None
    learns: bool = False

    def store(self) -> closing[Store]:
        """The open store, closed in the end. Raises ConfigurationError, StoreError."""
        from text2mem.doors.agent.store import open_store
        from text2mem.planner import Budget

        return closing(open_store(
            self.caller.store, context=self.caller.context, model=self.model,
            embedder=self.services.embedder, summariser=self.services.summariser,
            fetcher=self.services.fetcher(), seed=self.seed, budget=Budget(attempts=self.attempts),
            experience=self.learns,
        ))  # fmt: skip


def serving_options(variable: str, token_help: str) -> Callable[[F], F]:
    """``--token``, which ``variable`` of the environment may give, and the options of ``repl``."""

    def decorate(function: F) -> F:
        @wraps(function)
        def call(
            *arguments: Any, token: str | None, model: str | None, seed: int, attempts: int,
            caller: Caller, services: Services, learns: bool, **others: Any,
        ) -> Any:  # fmt: skip
            given = token or os.environ.get(variable) or None
            serving = Serving(caller, services, model, seed, attempts, given, learns)
            return function(*arguments, serving=serving, **others)

        wrapped = options.together(
            click.option("--token", metavar="SECRET", help=f"{token_help} [{variable}]"),
            options.learn_option(options.LEARNS), options.model_options, options.caller_options(),
            service_options(PLANNING_SUMMARISER),
        )  # fmt: skip
        return wrapped(call)  # type: ignore[return-value]

    return decorate
