"""The main job on the real small model: the right verb, a mended draft, an effect on a store."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.fixtures import cases
from text2mem import ExecutionContext, FixedClock, Memory, Program
from text2mem.compiled import Nothing
from text2mem.errors import PlannerError
from text2mem.pipeline import compile
from text2mem.providers.base import Provider

pytestmark = pytest.mark.model
CLOCK = FixedClock(datetime(2026, 11, 21, 12, tzinfo=UTC))
HEARD_AT = FixedClock(datetime(2026, 3, 4, 10, 30, tzinfo=UTC))
# Two of the six phrasings of each verb.
SAMPLE = [row for row in cases("plan", "phrasings") if row["id"].endswith(("en-1", "zh-3"))]


def heard(said: str, model: Provider) -> list[str]:
    """The ops that an utterance becomes without a store."""
    try:
        program = compile(said, model=model, clock=HEARD_AT)
    except PlannerError:
        return []
    ops = [op.name for op in program.ops] if isinstance(program, Program) else []
    # What is described and not named by ids is looked for first.
    return ["Merge"] if ops == ["Retrieve", "Merge"] else ops


def test_phrasings_become_the_right_verbs(local_model: Provider) -> None:
    got = [(row, heard(row["input"], local_model)) for row in SAMPLE]
    misses = [f"{row['input']} -> {ops}" for row, ops in got if ops != row["expected"]["ops"]]
    assert len(SAMPLE) == 24
    assert len(misses) <= 8, "\n".join(misses)


def test_what_is_said_changes_the_store(local_model: Provider, tmp_path: Path) -> None:
    with Memory(
        tmp_path / "notes.db", model=local_model, context=ExecutionContext(clock=CLOCK)
    ) as memory:
        _, stored = memory.run("Remember that the spare key is under the blue pot.")
        assert stored.ok
        assert stored.results[0].created == ("1",)
        program, found = memory.run("What do I know about the spare key?")
        assert [op.name for op in program.ops] == ["Retrieve"]
        assert [row["id"] for row in found.results[0].rows] == ["1"]
        forget = memory.compile("Throw away the note about the spare key.")
        assert isinstance(forget, Program)
        assert memory.preview(forget).results[0].affected == ("1",)
        assert memory.execute(forget).results[0].changes[0].field == "deleted"
        asked = memory.compile("What do I know about the spare key?")
        assert isinstance(asked, Nothing) and asked.missing
