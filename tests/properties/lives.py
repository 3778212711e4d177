"""Stores with a past: a few programs drawn at random, and the clock moving on between them."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import strategies as st

from tests.properties.callers import Caller
from tests.properties.small_world import beginnings, deeds
from tests.properties.vocabulary import BEGIN
from tests.properties.worlds import STORES, SideBySide

LEAPS = st.sampled_from((timedelta(), timedelta(seconds=1), timedelta(hours=6)))


def life(data: st.DataObject, backend: str, embedder: str) -> SideBySide:
    """A store with a past in which nothing is due; everything in it was done by the local user."""
    stores = SideBySide(BEGIN, {backend: STORES[backend]()})
    caller = Caller(embedder=embedder)
    for op in data.draw(beginnings(BEGIN)):
        stores.run([op], caller)
    for _ in range(data.draw(st.integers(0, 4))):
        stores.run(data.draw(deeds(stores.glimpse())), caller)
        stores.now += data.draw(LEAPS)
    stores.tick()
    return stores
