"""``openai:``: OpenAI, and every server with the same embeddings API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from text2mem.errors import MalformedOutput
from text2mem.providers.openai_ import OpenAIProvider
from text2mem.services.embedding.base import ServedEmbedder
from text2mem.services.embedding.profiles import Kind


class OpenAIEmbedder(ServedEmbedder):
    """The embedder ``openai:MODEL``."""

    provider = OpenAIProvider
    example = "openai:text-embedding-3-small"

    def _answer(self, texts: Sequence[str], kind: Kind) -> Any:
        data = super()._answer(texts, kind)
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
