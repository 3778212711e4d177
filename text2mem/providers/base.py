"""The protocol of providers, and the values that it passes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from text2mem.providers.profiles import Profile, Task, profile_of

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Sampling:
    """The parameters of decoding."""

    temperature: float = 0.0
    seed: int = 0
    max_tokens: int = 512
    """The most tokens of the answer."""


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model: ``messages``, or a ``prompt``."""

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    """The JSON schema of the answer, lowered already to what the decoder supports."""
    grammar: str | None = None
    """The GBNF grammar of the answer, in place of the schema. With ``begin``, that of the rest."""
    sampling: Sampling = field(default_factory=Sampling)
    deadline: float = 120.0
    """The most seconds that all tries together may take."""
    prompt: str = ""
    """A text to be continued, in place of the messages: the form for tuned models."""
    adapter: Task | None = None
    """The low-rank adapter to be used."""
    begin: str = ""
    """The beginning of the answer, which is given."""


def continued(
    prompt: str, adapter: Task, profile: Profile, sampling: Sampling, *,
    grammar: str, schema: Mapping[str, Any],
) -> Request:  # fmt: skip
    """Return the request to a tuned model, with the grammar or the schema, as its profile says."""
    if profile.constraint == "grammar":
        return Request((), None, grammar, sampling, prompt=prompt, adapter=adapter)
    return Request((), schema, None, sampling, prompt=prompt, adapter=adapter)


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of one answer, or of several."""

    prompt: int = 0
    output: int = 0
    cached: int = 0
    """The tokens of the prompt that came from a cache."""

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt + other.prompt, self.output + other.output, self.cached + other.cached
        )


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer."""

    text: str
    """The answer as it came."""
    data: Any
    """The JSON value of the text."""
    usage: Usage = Usage()
    model: str = ""
    tokens: tuple[tuple[str, float], ...] = ()
    """The tokens of the text with their probabilities, if the provider reports them."""
    likeliest: tuple[tuple[tuple[str, float], ...], ...] = ()
    """For each token, the likeliest tokens at its place with their probabilities."""


class Provider(Protocol):
    """A source of a model's answers.

    ``complete`` and ``acomplete`` raise ModelOutputError or a subclass for an unusable answer (with
    its ``usage``, if that is known), ContextOverflow for a prompt that is too long, and
    ServiceError or a subclass if no answer came.
    """

    @property
    def name(self) -> str:
        """The name ``provider:model``."""

    @property
    def profile(self) -> Profile:
        """The capabilities of the model."""

    def complete(self, request: Request) -> Completion:
        """Return the answer to a request."""

    async def acomplete(self, request: Request) -> Completion:
        """Return the answer to a request, without blocking the event loop."""

    def close(self) -> None:
        """Release connections and memory."""


class Named(Provider):
    """The base class of the built-in providers."""

    def __init__(self, name: str, profile: Profile | None = None) -> None:
        self._name = name
        self._profile = profile or profile_of(name)

    @property
    def name(self) -> str:
        return self._name

    @property
    def profile(self) -> Profile:
        return self._profile

    async def acomplete(self, request: Request) -> Completion:
        import asyncio  # it loads ssl and subprocess, which a store does not need

        return await asyncio.to_thread(self.complete, request)

    def close(self) -> None:
        """Do nothing: the provider keeps no connection between requests."""
