"""A model that reads what is written down for it: the facts of a turn, by its text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from text2mem.providers.base import Request
from text2mem.providers.function import FunctionProvider

Json = dict[str, Any]


def turn_of(request: Request) -> str:
    """The turn that a reader is asked about."""
    shown = request.messages[-1].content
    turn: str = json.loads(shown.removeprefix("<data>").removesuffix("</data>"))["turn"]
    return turn


def me(attribute: str, value: str, **more: str) -> Json:
    """A fact about who speaks, as a model writes it."""
    return {"subject": "me", "attribute": attribute, "value": value, **more}


def scripted(facts: Mapping[str, Sequence[Json]]) -> FunctionProvider:
    """A model that reads these facts of these turns, and nothing of any other."""
    return FunctionProvider(lambda request: {"facts": list(facts.get(turn_of(request), ()))})
