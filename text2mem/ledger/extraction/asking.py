"""One question to a model: an answer that passes a check, or none."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from text2mem.errors import ContextOverflow, ModelOutputError
from text2mem.providers.base import Message, Provider, Request, Sampling

_MOST_SAID = 400
_TOKENS = 64
_MARK = re.compile(r"<(?=\s*/?\s*data)", re.IGNORECASE)
NAME: Mapping[str, Any] = {"type": "string", "pattern": "^[a-z][a-z0-9_]{0,40}$"}
Field = Sequence[str] | Mapping[str, Any]


@dataclass(slots=True)
class Counts:
    """Figures of one reading."""

    asked: int = 0
    prompt: int = 0
    output: int = 0
    cached: int = 0
    invalid: int = 0

    def as_dict(self) -> Mapping[str, int]:
        """Under the names that readings use."""
        return {
            "asked": self.asked, "prompt": self.prompt, "output": self.output,
            "cached": self.cached, "invalid": self.invalid,
        }  # fmt: skip


def schema(**fields: Field) -> dict[str, Any]:
    """An object of these fields: one of the names, or what a schema of its own says."""
    properties = {
        name: dict(kind) if isinstance(kind, Mapping)
        else {"type": "string", "enum": list(dict.fromkeys(kind))}
        for name, kind in fields.items()
    }  # fmt: skip
    return {
        "type": "object", "properties": properties, "required": list(properties),
        "additionalProperties": False,
    }  # fmt: skip


def asked(
    provider: Provider,
    turns: tuple[Message, ...],
    schema: dict[str, Any],
    check: Callable[[Mapping[str, Any]], str | None],
    seed: int,
    counts: Counts,
) -> Mapping[str, Any] | None:
    """An answer that passes the check; None after two that do not."""
    if provider.profile.constraint == "strict":
        schema["properties"] = {
            name: {k: v for k, v in field.items() if k not in ("pattern", "maxLength")}
            for name, field in schema["properties"].items()
        }
    sampling = Sampling(seed=seed, max_tokens=_TOKENS)
    for _ in range(2):
        counts.asked += 1
        try:
            answer = provider.complete(Request(turns, schema, sampling=sampling))
        except ContextOverflow:
            counts.invalid += 1
            return None
        except ModelOutputError as error:
            counts.invalid += 1
            if error.usage is not None:
                counts.prompt += error.usage.prompt
                counts.output += error.usage.output
                counts.cached += error.usage.cached
            complaint, said = "answer with one JSON object as described", error.raw
        else:
            counts.prompt += answer.usage.prompt
            counts.output += answer.usage.output
            counts.cached += answer.usage.cached
            data = answer.data if isinstance(answer.data, Mapping) else {}
            fault = check(data) if data else "answer with one JSON object as described"
            if fault is None:
                return data
            counts.invalid += 1
            complaint, said = fault, answer.text
        echoed = (Message("assistant", said),) if provider.profile.echo_answer and said else ()
        turns = (*turns[:-1], *_again(turns[-1], echoed, complaint))
    return None


def _again(last: Message, echoed: tuple[Message, ...], complaint: str) -> tuple[Message, ...]:
    """The last turn asked again: a small model gets the complaint alone, not its own answer."""
    if echoed:
        return (last, *echoed, Message("user", f"That cannot be: {complaint}. Answer again."))
    return (Message("user", f"{last.content}\nNote: {complaint}."),)


def data(text: str) -> str:
    """Text as data: on one line, without what would end the data."""
    return _MARK.sub("(", " ".join(text.split()))[:_MOST_SAID]
