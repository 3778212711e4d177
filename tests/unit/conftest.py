"""For tests of both backends: a store in a file and one in memory, with a clock that is set."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.programs import NOW, context, opened
from text2mem import Memory
from text2mem.clock import SetClock


@pytest.fixture(params=["sqlite", "memory"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    if request.param == "sqlite":
        with opened(tmp_path / "store.db", clock=SetClock(NOW)) as memory:
            yield memory
        return
    with Memory("memory:", context=context(clock=SetClock(NOW))) as memory:
        yield memory
