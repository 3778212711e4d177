"""Services that ask a model through the same provider layer as the planner."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from text2mem.errors import MalformedOutput
from text2mem.ir.segment import index_terms
from text2mem.prompts import load
from text2mem.providers.base import Provider, Request, Sampling

_PARTS = {
    "type": "object",
    "properties": {
        "parts": {"type": "array", "minItems": 1, "maxItems": 50, "items": {"type": "string"}}
    },
    "required": ["parts"],
    "additionalProperties": False,
}


class ModelSplitter:
    """Cuts a text by an instruction in words, and refuses parts that the text does not hold."""

    def __init__(self, provider: Callable[[], Provider]) -> None:
        self._provider = provider  # opened when a text is really to be split

    def split(self, text: str, *, instruction: str) -> Sequence[str]:
        """The parts in the order of the model. Raises MalformedOutput where words were invented."""
        provider = self._provider()
        turns = load("split").filled(instruction=instruction, text=text)
        sampling = Sampling(max_tokens=provider.profile.max_output)
        answer = provider.complete(Request(turns, _PARTS, sampling=sampling))
        found = answer.data.get("parts") if isinstance(answer.data, dict) else None
        if not isinstance(found, list) or not all(isinstance(part, str) for part in found):
            raise MalformedOutput("the model gave no parts", raw=answer.text, model=answer.model)
        parts = [part.strip() for part in found if part.strip()]
        held = set(index_terms(text))
        invented = [term for part in parts for term in index_terms(part) if term not in held]
        if invented:
            raise MalformedOutput(
                f"the model's parts hold words that the memory does not: {', '.join(invented[:5])}",
                raw=answer.text, model=answer.model, hint="split by sentences or by chunks instead",
            )  # fmt: skip
        return parts
