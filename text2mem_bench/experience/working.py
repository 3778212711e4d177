"""The folder of a measurement: the bank that it begins with, filled once."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TypeVar

from text2mem.adapters.registry import open_adapter
from text2mem.clock import FixedClock
from text2mem.errors import ConfigurationError
from text2mem.ir.context import SUFFIX, ExecutionContext
from text2mem.ir.ports import Embedder
from text2mem_bench.agent.bank import AgentBank
from text2mem_bench.experience.environment import Environment

T = TypeVar("T")
_NOW = datetime(2026, 1, 1, tzinfo=UTC)


def opened_bank(
    work: Path, environment: Environment[T], embedder: Embedder | None, episodes: int | None = None
) -> AgentBank:
    """The bank of a folder, filled with what is remembered, or the first ``episodes`` of it.

    Raises ConfigurationError without an embedder.
    """
    if embedder is None:
        raise ConfigurationError(
            "memories of an agent are found by vectors", hint="install text2mem[local]"
        )
    context = ExecutionContext(clock=FixedClock(_NOW))
    path = work / f"{environment.name}{'' if episodes is None else f'.{episodes}'}.db"
    work.mkdir(parents=True, exist_ok=True)
    bank = AgentBank(
        open_adapter(path, tenant=f"{context.tenant}{SUFFIX}"), context, embedder,
        own_only=environment.own_only,
    )  # fmt: skip
    if bank.is_empty:
        kept = list(environment.remembered())
        if episodes is not None:
            seeds = set(islice(dict.fromkeys(each.seed for each in kept), episodes))
            kept = [each for each in kept if each.seed in seeds]
        bank.keep(kept)
    return bank
