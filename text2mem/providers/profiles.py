"""What models can do, as data. No stage asks which provider it talks to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Literal


@dataclass(frozen=True, slots=True)
class Profile:
    """The capabilities of one model.

    ``constraint``: what the decoder enforces. ``planning``: the whole program in one answer, or
    first the sequence of ops and then each op's slots. ``echo_answer``: whether a bad answer goes
    back as the assistant's turn (large models) or only the diagnostics (small ones copy what they
    see). ``free_sampling``: whether temperature, seed and ``max_tokens`` may be sent (OpenAI's
    reasoning models refuse them). ``context`` and ``max_output`` are in tokens. ``parallel``: how
    many questions may be asked at the same time. ``reads``: whether it may be asked what a whole
    sentence of a conversation states (docs/bench/episodes.md).
    """

    constraint: Literal["json_schema", "strict", "json_object", "grammar"] = "json_schema"
    planning: Literal["whole", "staged"] = "staged"
    echo_answer: bool = False
    free_sampling: bool = True
    context: int = 4096
    max_output: int = 512
    parallel: int = 1
    reads: bool = False


SMALL = Profile()
READER = replace(SMALL, reads=True)
"""A small model of a billion parameters or more: what smaller ones read is more often wrong."""
LARGE = Profile(
    planning="whole", echo_answer=True, context=128_000, max_output=4096, reads=True
)  # fmt: skip

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
    ("*:*[!0-9]0.[0-9]b*", SMALL),
    ("*:*[1-9]b*", READER),
    ("*:*[12][0-9]b*", READER),
    ("*", SMALL),
)
"""The first pattern that matches ``provider:model`` decides; an unknown model counts as small."""

PARALLEL: tuple[tuple[str, int], ...] = (
    ("openai:*", 16),
    ("ollama:*", 4),
    ("function:*", 16),
    ("*", 1),
)
"""As PROFILES, for ``parallel``: a matter of who serves the model. A server queues what it cannot
do at once; a model in this process has one context."""


def profile_of(name: str) -> Profile:
    """The profile of ``provider:model``; case does not matter."""
    folded = name.lower()
    profile = next(profile for pattern, profile in PROFILES if fnmatchcase(folded, pattern))
    parallel = next(most for pattern, most in PARALLEL if fnmatchcase(folded, pattern))
    return replace(profile, parallel=parallel)
