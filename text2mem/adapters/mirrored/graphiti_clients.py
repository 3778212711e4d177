"""What stands in Graphiti's places for models: they are never asked.

Imported with the rest of Graphiti, when a store of it is opened.
"""

from __future__ import annotations

from typing import Any, NoReturn

from graphiti_core.cross_encoder.client import CrossEncoderClient
from graphiti_core.embedder.client import EmbedderClient
from graphiti_core.llm_client.client import LLMClient

from text2mem.errors import ConfigurationError


def _refuse(what: str) -> NoReturn:
    raise ConfigurationError(f"Graphiti has no {what} here", hint="text2mem infers nothing")


class NoModel(LLMClient):
    """In place of a language model."""

    def __init__(self) -> None:
        super().__init__(None)

    async def _generate_response(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        _refuse("language model")


class NoEmbedder(EmbedderClient):
    """In place of an embedder: nodes and questions come with vectors of ours."""

    async def create(self, input_data: Any) -> list[float]:
        """Refuses."""
        _refuse("embedder")


class NoReranker(CrossEncoderClient):
    """In place of a model that orders what was found."""

    async def rank(self, query: str, passages: list[str]) -> list[tuple[str, float]]:
        """Refuses."""
        _refuse("reranker")
