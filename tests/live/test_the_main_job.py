"""The main job on the real small model: the right verb, a mended draft, an effect on a store."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.fixtures import cases
from text2mem import ExecutionContext, FixedClock, Memory, Program
from text2mem.compiled import Nothing
from text2mem.providers.base import Provider
from text2mem_bench.phrasings import listen

pytestmark = pytest.mark.model
CLOCK = FixedClock(datetime(2026, 11, 21, 12, tzinfo=UTC))
# Two of the six phrasings of each verb; all of them are `text2mem bench phrasings`.
SAMPLE = [row for row in cases("plan", "phrasings") if row["id"].endswith(("en-1", "zh-3"))]


def test_phrasings_become_the_right_verbs(local_model: Provider) -> None:
    heard = list(listen(SAMPLE, local_model))
    misses = [f"{one.input} -> {one.got or one.error}" for one in heard if not one.right]
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
