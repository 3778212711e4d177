"""The capabilities of models, as data. Stages ask for these, never for the name of a provider."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Literal

Task = Literal["requests", "statements"]
"""What one of the shipped low-rank adapters reads."""


@dataclass(frozen=True, slots=True)
class Profile:
    """The capabilities of one model."""

    constraint: Literal["json_schema", "strict", "json_object", "grammar"] = "json_schema"
    """What its decoder enforces; "strict" is OpenAI's subset of a JSON schema."""
    echo_answer: bool = False
    """Whether it is asked again after a bad answer, with that answer as the assistant's turn and
    its diagnostics. A small model is not asked again."""
    free_sampling: bool = True
    """Whether temperature and seed can be set."""
    context: int = 8192
    """The size of its context, in tokens."""
    max_output: int = 512
    """The most tokens of an answer."""
    reads: bool = False
    """Whether it is asked what a sentence of a conversation states (docs/bench/episodes.md)."""
    sees_store: bool = False
    """Whether it counts as able: its prompt shows a picture of the store, and its links are taken
    as certain. A tuned model gets a picture, too, but does not count as able."""
    picture: int = 3_000
    """The most tokens of the picture of the store."""
    adapters: frozenset[Task] = frozenset()
    """The tasks with a shipped adapter, in whose form it is then asked."""

    @property
    def tuned(self) -> bool:
        """Whether it has a shipped adapter that reads requests."""
        return "requests" in self.adapters


SMALL = Profile()
"""A model whose name says that it is small, or an unknown local file."""
READER = replace(SMALL, reads=True, sees_store=True)
"""A small model of one to three billion parameters."""
TUNED = Profile(
    constraint="grammar", context=4096, max_output=400, reads=True, picture=1_000,
    adapters=frozenset({"requests", "statements"}),
)  # fmt: skip
"""The default model, with a shipped adapter for each task."""
TUNED_FOR_REQUESTS = replace(TUNED, reads=False, adapters=frozenset({"requests"}))
"""A model with an adapter for requests only. It does not read conversations: without an adapter,
the examples of the prompt would take a minute per turn."""
TUNED_LARGER = replace(TUNED_FOR_REQUESTS, context=8192, reads=True)
"""The larger local model, with its adapter for requests."""
LARGE = Profile(
    echo_answer=True, context=128_000, max_output=4096, reads=True, sees_store=True, picture=12_000
)
ABLE = replace(LARGE, context=8192, max_output=1024, picture=3_000)
"""A model of a server whose name matches no other pattern."""

PROFILES: tuple[tuple[str, Profile], ...] = (
    ("openai:gpt-5*", replace(LARGE, constraint="strict", free_sampling=False)),
    ("openai:gpt-*", replace(LARGE, constraint="strict")),
    ("openai:o[1-9]*", replace(LARGE, constraint="strict", free_sampling=False)),
    ("openai:chatgpt-*", replace(LARGE, constraint="strict")),
    ("*:*[1-9][0-9][0-9]b*", LARGE),
    ("*:*[3-9][0-9]b*", LARGE),
    ("*:claude*", LARGE),
    ("*:gemini*", LARGE),
    ("*:deepseek-chat*", replace(LARGE, constraint="json_object")),
    ("function:*", replace(LARGE, context=1_000_000)),
    ("local:qwen2.5-coder-0.5b", TUNED),
    ("local:qwen2.5-coder-1.5b", TUNED_LARGER),
    ("*:*draft-reader*", replace(TUNED_FOR_REQUESTS, constraint="json_schema")),
    ("*:*[!0-9]0.[0-9]b*", SMALL),
    ("*:*[0-9][0-9][0-9]m*", SMALL),
    ("*:*[!0-9][1-3]b*", READER),
    ("*:*[!0-9][1-3].[0-9]b*", READER),
    ("local:*", SMALL),
    ("*", ABLE),
)
"""The profile of the first pattern that matches ``provider:model`` counts. Small are models whose
name says so, and local files; an unknown model of a server counts as able."""


def profile_of(name: str) -> Profile:
    """Return the profile of ``provider:model``, regardless of case."""
    folded = name.lower()
    return next(profile for pattern, profile in PROFILES if fnmatchcase(folded, pattern))
