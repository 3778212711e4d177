"""The one protocol of all providers, and the values that pass through it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from text2mem.providers.profiles import Profile, Task

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Sampling:
    """How to decode. ``max_tokens`` bounds the answer."""

    temperature: float = 0.0
    seed: int = 0
    max_tokens: int = 512


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model. ``schema`` is already lowered; ``deadline`` is in seconds.

    ``prompt`` is plain text to be continued, in place of ``messages``: how a tuned model is asked,
    with the ``adapter`` that has learnt to. ``begin`` is what its answer begins with; a ``grammar``
    is then that of the rest.
    """

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    grammar: str | None = None
    sampling: Sampling = field(default_factory=Sampling)
    deadline: float = 120.0
    prompt: str = ""
    adapter: Task | None = None
    begin: str = ""


def continued(
    prompt: str, adapter: Task, profile: Profile, sampling: Sampling, *,
    grammar: str, schema: Mapping[str, Any],
) -> Request:  # fmt: skip
    """The question to a tuned model, whose answer has the form that its decoder can enforce."""
    if profile.constraint == "grammar":
        return Request((), None, grammar, sampling, prompt=prompt, adapter=adapter)
    return Request((), schema, None, sampling, prompt=prompt, adapter=adapter)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one answer; ``cached`` of the prompt's were not computed again."""

    prompt: int = 0
    output: int = 0
    cached: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt + other.prompt, self.output + other.output, self.cached + other.cached
        )


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer: the text as it came, and the JSON object that it holds.

    ``tokens`` are its tokens with the probability of each, where the provider tells, and
    ``likeliest`` what the model would rather have written in the place of each, itself included.
    """

    text: str
    data: Any
    usage: Usage = Usage()
    model: str = ""
    tokens: tuple[tuple[str, float], ...] = ()
    likeliest: tuple[tuple[tuple[str, float], ...], ...] = ()


class Named:
    """The common base of our providers: the name ``provider:model``, and the model's profile."""

    def __init__(self, name: str, profile: Profile) -> None:
        self._name = name
        self._profile = profile

    @property
    def name(self) -> str:
        """``provider:model``."""
        return self._name

    @property
    def profile(self) -> Profile:
        """Given, or by the model's name."""
        return self._profile

    def close(self) -> None:
        """Does nothing, for providers that hold no connection between questions."""


class Provider(Protocol):
    """A source of answers.

    Both calls raise the distinct errors of ``text2mem.errors``: ModelOutputError and its kinds
    where the model misbehaved (with its ``usage`` attached where it is known), ContextOverflow,
    ServiceError and its kinds where no answer came.
    """

    @property
    def name(self) -> str:
        """``provider:model``."""

    @property
    def profile(self) -> Profile:
        """What the model can do."""

    def complete(self, request: Request) -> Completion:
        """One answer, or an error."""

    async def acomplete(self, request: Request) -> Completion:
        """The same without blocking."""

    def close(self) -> None:
        """Release connections and memory."""
