"""The validator and the parser, on documents that are nearly programs."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from text2mem.errors import Text2MemError, ValidationError
from text2mem.pipeline import validate
from text2mem.program import Program
from text2mem_bench.fuzz.meter import Broken, Meter

NOW = datetime(2026, 3, 4, 10, 30, tzinfo=UTC)
STORES = ("plain:", "memory:")
"""The stores that most cases take turns on."""


def run(held: Any, meter: Meter) -> None:
    """Validate it, read it, write what was read and read that again."""
    found = meter.call("validate", lambda: validate(held, now=NOW, tz=UTC),
                       lambda found: "illegal" if found else "legal")  # fmt: skip
    assert isinstance(found, list)
    json.dumps([each.as_dict() for each in found], allow_nan=False).encode()
    errors = [each for each in found if each.severity == "error"]
    program = meter.call("load", lambda: Program.load(held, now=NOW, tz=UTC))
    if isinstance(program, Text2MemError):
        if not errors:
            raise Broken(f"nothing is wrong with it, and it is refused: {program}")
        if not isinstance(program, ValidationError):
            raise Broken(f"it is illegal, and {type(program).__name__} is raised")
        return
    if errors:
        raise Broken("it is illegal, and it is read")
    written = meter.call("dump", program.to_list)
    again = meter.call("load again", lambda: Program.load(written, now=NOW, tz=UTC))
    if isinstance(again, Text2MemError):
        raise Broken(f"what is written of it is refused: {again}")
    if again.ops != program.ops:
        raise Broken("what is written of it means something else")
