"""For tests of both backends: a store in a file and one in memory, with a clock that is set; and
the ledgers that questions are asked of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.recalling import CASES, stored
from tests.store.programs import NOW, context, opened
from text2mem import Memory
from text2mem.clock import SetClock
from text2mem.ledger.ledger import Ledger


@pytest.fixture(params=["sqlite", "plain"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    if request.param == "sqlite":
        with opened(tmp_path / "store.db", clock=SetClock(NOW)) as memory:
            yield memory
        return
    with Memory("plain:", context=context(clock=SetClock(NOW))) as memory:
        yield memory


@pytest.fixture(scope="module")
def house() -> Iterator[Ledger]:
    """The English case."""
    with stored(CASES["heron-and-york"]) as ledger:
        yield ledger


@pytest.fixture(scope="module")
def harbour() -> Iterator[Ledger]:
    """The Chinese case."""
    with stored(CASES["gu-qing-yuncha"]) as ledger:
        yield ledger
