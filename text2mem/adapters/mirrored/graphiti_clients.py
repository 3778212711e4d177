"""The client in place of the models that Graphiti requires.

This module imports Graphiti, so it is imported only when a Graphiti store is opened.
"""

from __future__ import annotations

from typing import Any, NoReturn

from graphiti_core.cross_encoder.client import CrossEncoderClient
from graphiti_core.embedder.client import EmbedderClient
from graphiti_core.llm_client.client import LLMClient

from text2mem.errors import ConfigurationError


class NoModels(LLMClient, EmbedderClient, CrossEncoderClient):
    """A language model, an embedder and a reranker that refuse every call. Nodes and queries are
    given vectors of ours."""

    def __init__(self) -> None:
        super().__init__(None)

    async def _generate_response(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        _refuse("language model")

    async def create(self, input_data: Any) -> list[float]:
        _refuse("embedder")

    async def rank(self, query: str, passages: list[str]) -> list[tuple[str, float]]:
        _refuse("reranker")


def _refuse(what: str) -> NoReturn:
    raise ConfigurationError(f"Graphiti has no {what} here", hint="text2mem infers nothing")
