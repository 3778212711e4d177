"""``ollama:``: an embedding model of Ollama, by its official client."""

from __future__ import annotations

from text2mem.providers.ollama_ import OllamaProvider
from text2mem.services.embedding.base import ServedEmbedder


class OllamaEmbedder(ServedEmbedder):
    """The embedder ``ollama:MODEL``."""

    provider = OllamaProvider
    example = "ollama:nomic-embed-text"
