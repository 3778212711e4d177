"""Content: what an Encode stores, in the speaker's own words."""

from __future__ import annotations

from typing import Any

import pytest

from tests.requests import NOW, requests, said, step_of
from text2mem.planner.content import of_turn, stored


@pytest.mark.parametrize("case", requests("content"), ids=said)
def test_a_request_stores_this(case: dict[str, Any]) -> None:
    context = tuple(case.get("context", ()))
    statement = next((text for turn in reversed(context) if (text := of_turn(turn))), "")
    args = stored(step_of(case["utterance"], context), NOW, statement)
    assert args is not None
    if "tags" not in case["args"]:
        args.pop("tags", None)
    assert args == case["args"]
