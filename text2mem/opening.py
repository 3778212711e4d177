"""Open the services of a store by the names in settings and options."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from text2mem.errors import ConfigurationError
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ports import Embedder, Fetcher, Splitter, Summariser
from text2mem.providers.base import Provider
from text2mem.providers.registry import opened_provider
from text2mem.services.clauses import ClauseSplitter
from text2mem.services.embedding.registry import open_embedder
from text2mem.services.extractive import ExtractiveSummariser
from text2mem.services.model import ModelSplitter, ModelSummariser
from text2mem.settings import NO_EMBEDDER, Settings

if TYPE_CHECKING:
    from text2mem.experience import Bank
    from text2mem.ledger.policy import Policy

EXTRACTIVE = "extractive"


class Opening(TypedDict, total=False):
    """The arguments of ``Memory`` besides its store."""

    model: str | Provider | None
    context: ExecutionContext | None
    summariser: Summariser | str | None
    splitter: Splitter | None
    embedder: Embedder | str | None
    fetcher: Fetcher | None
    policy: Policy | str | Path | Mapping[str, Any] | None
    reader: str | Provider | None
    experience: Bank | bool


def opened_embedder(embedder: Embedder | str | None) -> Embedder | None:
    """An embedder by name; without one, that of the settings, by default the local one."""
    if embedder is not None and not isinstance(embedder, str):
        return embedder
    spec = embedder or Settings.from_environment().embedder
    if spec == NO_EMBEDDER:
        return None  # without a look at the installed packages
    return open_embedder(spec)


def opened_summariser(
    summariser: Summariser | str | None, model: str | Provider | None
) -> Summariser | None:
    """A summariser by name: ``extractive``, or ``provider:model``; without one, that of the
    settings, else the model that plans. Raises ConfigurationError for an unknown name."""
    if summariser is not None and not isinstance(summariser, str):
        return summariser
    named = summariser or Settings.from_environment().summariser
    if named == EXTRACTIVE:
        return ExtractiveSummariser()
    if named and ":" not in named:
        raise ConfigurationError(
            f"there is no summariser '{named}'", hint=f"write {EXTRACTIVE}, or provider:model"
        )
    wanted = named or model
    return ModelSummariser(lambda: opened_provider(wanted), ExtractiveSummariser())


def opened_splitter(
    splitter: Splitter | None, model: str | Provider | None, embedder: Embedder | None
) -> Splitter:
    """The given splitter, or the model that plans, with a split into clauses as its fallback."""
    return splitter or ModelSplitter(lambda: opened_provider(model), ClauseSplitter(embedder))
