"""``ollama:``: an embedding model of Ollama, by its official client.

The provider of the same name handles address, secrets and errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from text2mem.providers.ollama_ import OllamaProvider
from text2mem.services.embedding.base import CheckedEmbedder, named
from text2mem.services.embedding.profiles import Kind


class OllamaEmbedder(CheckedEmbedder):
    """The embedder ``ollama:MODEL``, with further options of ``OllamaProvider``.

    ``deadline`` is in seconds, for all tries of one batch.
    """

    def __init__(
        self, model: str, *, deadline: float = 60.0, threshold: float | None = None, **options: Any
    ) -> None:
        named("ollama", model, example="nomic-embed-text")
        self._service = OllamaProvider(model, **options)
        self._deadline = deadline
        super().__init__(self._service.name, threshold=threshold)

    def _answer(self, texts: Sequence[str], kind: Kind) -> Any:
        return self._service.vectors(texts, deadline=self._deadline)
