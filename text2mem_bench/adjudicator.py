"""An optional judge: a chosen model reads request, gold program and prediction, and gives a score.

It is an opinion and no measurement, so every place that shows it says which model it is from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from text2mem.errors import ConfigurationError, MalformedOutput, StoreError, Text2MemError
from text2mem.prompts import load
from text2mem.providers.base import Completion, Provider, Request, Sampling, Usage
from text2mem_bench.metrics import canonical_json

if TYPE_CHECKING:
    from text2mem_bench.corpus import Case

_BEST = 4
_ANSWER = {
    "type": "object",
    "properties": {
        "reason": {"type": "string"},
        "score": {"type": "integer", "enum": list(range(_BEST + 1))},
    },
    "required": ["reason", "score"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the judge said. ``score`` is 0 to 1; None where no usable answer came, and why."""

    model: str
    score: float | None
    reason: str
    usage: Usage = field(default_factory=Usage)

    def as_dict(self) -> dict[str, Any]:
        """The verdict as JSON."""
        return {
            "model": self.model, "score": self.score, "reason": self.reason,
            "usage": {"prompt_tokens": self.usage.prompt, "output_tokens": self.usage.output},
        }  # fmt: skip


def adjudicate(
    provider: Provider, case: Case, gold: Sequence[Any], predicted: Sequence[Any], *, seed: int = 0
) -> Verdict:
    """Ask a model how well a prediction does what the utterance asks for.

    Where there is no program, nobody is asked. Raises ConfigurationError; every other failure
    becomes a verdict without a score.
    """
    if not predicted:
        return Verdict(provider.name, 0.0, "there is no program")
    said = "\n".join(
        [
            *(f"Before: {turn}" for turn in case.context), f"Request: {case.utterance}",
            f"Reference program: {canonical_json(gold)}",
            f"Program to judge: {canonical_json(predicted)}",
        ]
    )  # fmt: skip
    # What is judged may not end the frame that marks it as data.
    turns = load("adjudicate").filled(case=said.replace("<case", "< case").replace("</", "< /"))
    sampling = Sampling(seed=seed, max_tokens=provider.profile.max_output)
    try:
        answer = provider.complete(Request(turns, _ANSWER, sampling=sampling))
        return Verdict(provider.name, *_read(answer), answer.usage)
    except (ConfigurationError, StoreError):
        raise
    except Text2MemError as error:
        return Verdict(provider.name, None, f"{type(error).__name__}: {error.message}")


def _read(answer: Completion) -> tuple[float, str]:
    """Score and reason. Raises MalformedOutput."""
    data = answer.data if isinstance(answer.data, dict) else {}
    score = data.get("score")
    if isinstance(score, bool) or not isinstance(score, int) or not 0 <= score <= _BEST:
        raise MalformedOutput("the judge gave no score", raw=answer.text, model=answer.model)
    return score / _BEST, str(data.get("reason", ""))
