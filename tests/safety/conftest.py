"""The stores of the access matrix: built once, and there again as often as they are wanted."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.safety.secret_store import BACKENDS
from tests.safety.shelves import Store


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Store]:
    """Built once, by backend."""
    return {name: Store(name, tmp_path_factory.mktemp(name)) for name in BACKENDS}


@pytest.fixture
def kept(stores: Mapping[str, Store], request: pytest.FixtureRequest) -> Store:
    """For a test that reads: one that changes something fails."""
    store = stores[request.param]
    if store.touched:
        store.fresh()
    return store


@pytest.fixture
def shelf(kept: Store) -> Store:
    """As it was built, for a test that changes it."""
    kept.fresh()
    kept.touched = True
    return kept
