"""``openai:``: OpenAI, and every server with the same embeddings API.

The provider of the same name handles address, key, secrets and errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from text2mem.errors import MalformedOutput
from text2mem.providers.openai_ import OpenAIProvider
from text2mem.services.embedding.base import CheckedEmbedder, named
from text2mem.services.embedding.profiles import Kind


class OpenAIEmbedder(CheckedEmbedder):
    """The embedder ``openai:MODEL``, with further options of ``OpenAIProvider``.

    ``deadline`` is in seconds, for all tries of one batch.
    """

    def __init__(
        self, model: str, *, deadline: float = 60.0, threshold: float | None = None, **options: Any
    ) -> None:
        named("openai", model, example="text-embedding-3-small")
        self._service = OpenAIProvider(model, **options)
        self._deadline = deadline
        super().__init__(self._service.name, threshold=threshold)

    def _answer(self, texts: Sequence[str], kind: Kind) -> Any:
        data = self._service.vectors(texts, deadline=self._deadline)
        try:
            rows: list[tuple[Any, Any]] = [(entry.index, entry.embedding) for entry in data]
        except (AttributeError, TypeError) as error:
            # The SDK does not check an answer: it accepts any JSON.
            raise MalformedOutput(
                "the model's answer holds no numbered vectors", model=self.model
            ) from error
        by_place = {place: row for place, row in rows if isinstance(place, int)}
        if sorted(by_place) != list(range(len(rows))):
            raise MalformedOutput("the model's vectors are not numbered", model=self.model)
        return [by_place[place] for place in range(len(rows))]
