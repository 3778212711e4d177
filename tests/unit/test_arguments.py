"""Arguments: what a request tells of an op's args, and what it leaves open."""

from __future__ import annotations

from typing import Any

import pytest

from tests.requests import requests, said, step_of
from text2mem.planner.arguments import told


@pytest.mark.parametrize("case", requests("arguments"), ids=said)
def test_a_request_tells_these_arguments(case: dict[str, Any]) -> None:
    found = told(case["op"], step_of(case["utterance"]))
    assert found.args == case["args"]
    assert found.complete
