"""Model services inside a program: prepared without a lock, handed out inside the transaction.

An attempt at a program asks for what it needs by content. What is not there yet ends the attempt
(``NotPrepared``): it is rolled back, the service is called with no lock held, and the next attempt
finds the answer. A store that changes in between changes the content, and so the key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from text2mem.errors import ExecutionError
from text2mem.ir.ports import Splitter, Summariser


class NotPrepared(Exception):
    """A service's answer is missing; ``call`` fetches it."""

    def __init__(self, key: str, call: Callable[[], Any]) -> None:
        self.key = key
        self.call = call
        super().__init__(key)


@dataclass(slots=True)
class Prepared:
    """Service answers by content hash. Kept from a dry run to the run after it."""

    summariser: Summariser | None = None
    splitter: Splitter | None = None
    answers: dict[str, Any] = field(default_factory=dict)

    def split(self, text: str, instruction: str) -> Sequence[str]:
        """The parts of a text under an instruction in words; their order is that of the text."""
        splitter = self.splitter
        if splitter is None:
            raise ExecutionError(
                "no-splitter",
                "splitting by an instruction needs a model service and none is configured",
                hint="use by_sentences or by_chunks, or give the executor a splitter",
            )
        parts: Sequence[str] = self._answer(
            ("split", text, instruction),
            lambda: list(splitter.split(text, instruction=instruction)),
        )
        return parts

    def summarise(
        self, texts: Sequence[str], *, focus: str | None, max_tokens: int, lang: str | None
    ) -> str:
        """A digest of the texts."""
        summariser = self.summariser
        if summariser is None:
            raise ExecutionError(
                "no-summariser", "summarising needs a service and none is configured",
                hint="give the executor a summariser; an extractive one is built in",
            )  # fmt: skip
        digest: str = self._answer(
            ("summarise", *texts, focus, max_tokens, lang),
            lambda: summariser.summarise(texts, focus=focus, max_tokens=max_tokens, lang=lang),
        )
        return digest

    def fulfil(self, missing: NotPrepared) -> None:
        """Call the service for a missing answer. Holds no lock."""
        self.answers[missing.key] = missing.call()

    def _answer(self, parts: tuple[Any, ...], call: Callable[[], Any]) -> Any:
        key = hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()
        if key not in self.answers:
            raise NotPrepared(key, call)
        return self.answers[key]
