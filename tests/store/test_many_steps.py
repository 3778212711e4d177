"""A long program costs what its steps cost, and no more for each step before them."""

from __future__ import annotations

from contextlib import closing
from unittest.mock import patch

from tests.store.programs import done, encode, on, opened
from text2mem.executor import authorise


def test_each_step_is_looked_at_once_for_what_it_brings() -> None:
    steps = [on("Label", ["1"], tags=[f"t{number}"]) for number in range(40)]
    with closing(opened(":memory:")) as memory:
        done(memory, encode("note"))
        with patch.object(authorise, "_brings_memories", wraps=authorise._brings_memories) as asked:
            done(memory, *steps)
    assert asked.call_count <= len(steps)
