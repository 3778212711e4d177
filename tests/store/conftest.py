"""A store on a file of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.programs import WordHashes, opened
from text2mem import Memory


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def memory(path: Path) -> Iterator[Memory]:
    with opened(path, embedder=WordHashes()) as memory:
        yield memory
