"""What the planner says to people: ``prompts/messages.toml``, in the language of the request."""

from __future__ import annotations

import tomllib
from functools import cache

from text2mem import resources
from text2mem.ir.words.segment import HAN


@cache
def _catalogue() -> dict[str, dict[str, str]]:
    return tomllib.loads(resources.read_text("prompts", "messages.toml"))


def message(name: str, utterance: str, **values: object) -> str:
    """The message ``name`` in the language of ``utterance``, its fields filled."""
    language = "zh" if HAN.search(utterance) else "en"
    return _catalogue()[name][language].format(**values)
