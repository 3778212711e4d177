"""What models can do, as data. No stage asks which provider it talks to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Literal

Task = Literal["requests", "statements"]
"""What an adapter of ours makes a model a reader of."""


@dataclass(frozen=True, slots=True)
class Profile:
    """The capabilities of one model.

    ``constraint``: what the decoder enforces. ``echo_answer``: whether it is asked again with what
    was wrong, its bad answer before it as the assistant's turn; a small model is not asked again.
    ``free_sampling``: whether temperature and seed may be set. ``context`` and ``max_output`` are
    in tokens, ``picture`` how many of them the store may take in the prompt, where the model
    ``sees_store``. ``adapters``: what it has adapters of
    ours for, and is asked in the form that they were trained on. ``reads``: may be asked what a
    whole sentence of a conversation states (docs/bench/episodes.md).
    """

    constraint: Literal["json_schema", "strict", "json_object", "grammar"] = "json_schema"
    echo_answer: bool = False
    free_sampling: bool = True
    context: int = 8192
    max_output: int = 512
    reads: bool = False
    sees_store: bool = False
    picture: int = 3_000
    adapters: frozenset[Task] = frozenset()

    @property
    def tuned(self) -> bool:
        """Whether an adapter of ours reads requests."""
        return "requests" in self.adapters

    @property
    def small(self) -> bool:
        """Whether it is too small to be asked again after a bad answer."""
        return not self.echo_answer


SMALL = Profile()
"""A model that says in its name that it is small, or a file on this machine."""
READER = replace(SMALL, reads=True, sees_store=True)
"""A small model of a billion parameters or more."""
TUNED = Profile(
    constraint="grammar", context=4096, max_output=400, reads=True, picture=1_000,
    adapters=frozenset({"requests", "statements"}),
)  # fmt: skip
"""The small model with all the adapters that are shipped."""
TUNED_FOR_REQUESTS = replace(TUNED, reads=False, adapters=frozenset({"requests"}))
"""A model with an adapter for requests alone: what conversations state it would have to be told
with examples, for a minute a turn."""
TUNED_LARGER = replace(TUNED_FOR_REQUESTS, context=8192, reads=True)
"""The larger model with its adapter for requests."""
LARGE = Profile(
    echo_answer=True, context=128_000, max_output=4096, reads=True, sees_store=True, picture=12_000
)  # fmt: skip
ABLE = replace(LARGE, context=8192, max_output=1024, picture=3_000)
"""A model of a server about which nothing is known."""

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
"""The first pattern that matches ``provider:model`` decides. An unknown model of a server counts as
able; small is what says so in its name, or a local file."""


def profile_of(name: str) -> Profile:
    """The profile of ``provider:model``; case does not matter."""
    folded = name.lower()
    return next(profile for pattern, profile in PROFILES if fnmatchcase(folded, pattern))
