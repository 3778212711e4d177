"""``openai:``: OpenAI and every server that speaks its embeddings API.

Address, key, secrecy and the meaning of errors are those of the provider of the same name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from text2mem.errors import MalformedOutput
from text2mem.providers.openai_ import OpenAIProvider
from text2mem.services.embedding.base import CheckedEmbedder, named
from text2mem.services.embedding.profiles import Kind


class OpenAIEmbedder(CheckedEmbedder):
    """``openai:MODEL``, with the key and the address that ``OpenAIProvider`` takes.

    ``deadline`` is in seconds, for one batch over all tries.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        deadline: float = 60.0,
        threshold: float | None = None,
    ) -> None:
        named("openai", model, example="text-embedding-3-small")
        self._service = OpenAIProvider(model, base_url=base_url, api_key=api_key)
        self._deadline = deadline
        super().__init__(self._service.name, threshold=threshold)

    def _answer(self, texts: Sequence[str], kind: Kind) -> Any:
        data = self._service.vectors(texts, deadline=self._deadline)
        try:
            rows: list[tuple[Any, Any]] = [(one.index, one.embedding) for one in data]
        except (AttributeError, TypeError) as error:
            # The SDK does not check what it gets: any JSON becomes an answer.
            raise MalformedOutput(
                "the model's answer holds no numbered vectors", model=self.model
            ) from error
        by_place = {place: row for place, row in rows if isinstance(place, int)}
        if sorted(by_place) != list(range(len(rows))):
            raise MalformedOutput("the model's vectors are not numbered", model=self.model)
        return [by_place[place] for place in range(len(rows))]
