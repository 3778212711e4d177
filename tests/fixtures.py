"""The fixture cases: pairs of input and expectation in ``fixtures/``, one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1] / "fixtures"


def cases(folder: str, name: str | None = None) -> Iterator[dict[str, Any]]:
    """The cases of ``fixtures/<folder>``, of ``<name>.jsonl`` alone where a name is given.

    Each is the object of its line and, under ``file``, the path of its file below ``fixtures/``.
    """
    for path in sorted((ROOT / folder).glob(f"{name or '*'}.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            yield {**json.loads(line), "file": path.relative_to(ROOT).as_posix()}


def case_id(case: dict[str, Any]) -> str:
    """What a parametrised test is called after."""
    return str(case["id"])
