"""The fixture cases: pairs of input and expectation in ``fixtures/``, one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

ROOT = Path(__file__).parents[1] / "fixtures"


def cases(folder: str, name: str | None = None) -> Iterator[dict[str, Any]]:
    """The cases of ``fixtures/<folder>``, of ``<name>.jsonl`` alone where a name is given.

    Each is the object of its line and, under ``file``, the path of its file below ``fixtures/``.
    """
    for path in sorted((ROOT / folder).glob(f"{name or '*'}.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            yield {**json.loads(line), "file": path.relative_to(ROOT).as_posix()}


def faults(folder: str, told: Iterable[dict[str, Any]]) -> list[str]:
    """What ``case.schema.json`` of ``fixtures/<folder>`` does not allow in cases of it."""
    schema = json.loads((ROOT / folder / "case.schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    return [
        f"{case['id']}: {error.message}"
        for case in told
        for error in validator.iter_errors({k: v for k, v in case.items() if k != "file"})
    ]


def case_id(case: dict[str, Any]) -> str:
    """What a parametrised test is called after."""
    return str(case["id"])
