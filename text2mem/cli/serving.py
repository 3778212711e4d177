"""What the commands that serve a store have in common: their options, and the store."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from text2mem.cli import options
from text2mem.cli.options import Caller, F, as_one
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

        store = open_store(
            self.caller.store, seed=self.seed, budget=Budget(attempts=self.attempts),
            **self.services.opening(self.caller, self.model, learns=self.learns),
        )  # fmt: skip
        store.memory.reads_added = True  # by the model that plans, though none was named
        return closing(store)


def serving_options(variable: str, token_help: str) -> Callable[[F], F]:
    """``--token``, which ``variable`` of the environment may give, and the options of ``repl``."""

    def given(ctx: click.Context, option: click.Parameter, token: str | None) -> str | None:
        return token or os.environ.get(variable) or None

    return as_one(
        "serving", Serving,
        click.option(
            "--token", metavar="SECRET", callback=given, help=f"{token_help} [{variable}]"
        ),
        options.learn_option(options.LEARNS), options.model_options, options.caller_options(),
        service_options(PLANNING_SUMMARISER),
    )  # fmt: skip
