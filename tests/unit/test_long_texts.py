"""Code that walks through a memory's text takes time and room in proportion to it."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import pytest

from tests.growth import LINEAR, growth
from text2mem.adapters.base import Adapter
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.executor import execute
from text2mem.ir.context import ExecutionContext
from text2mem.ir.exchange import exchanged
from text2mem.ir.ops import ByIds, Content, Encode, Exchange, Split, StepRef
from text2mem.ir.words.splitting import sentences
from text2mem_bench.oracle.adapter import PlainAdapter


@pytest.mark.parametrize(
    "walk",
    [
        lambda size: exchanged("a b " * size, Exchange("b", "cc")),
        lambda size: exchanged("a b " * size, Exchange("b", "")),
        lambda size: sentences("A b.\n" * size),
        lambda size: sentences("e.g. " * size),
        lambda size: sentences('a."b ' * size),
    ],
)
def test_a_long_text_is_walked_through_in_linear_time(walk: Callable[[int], object]) -> None:
    assert growth(walk, 400_000) < LINEAR, "it took 8 to 60 s, and grew as the square"


@pytest.mark.parametrize("backend", [SqliteAdapter, PlainAdapter])
def test_chunks_beyond_the_cap_are_not_made(backend: Callable[[], Adapter]) -> None:
    program = [
        Encode(content=Content("text", "x" * 200_000)),
        Split(
            target=ByIds((StepRef(1),)), strategy="by_chunks", chunk_size=100_000, overlap=99_999
        ),
    ]
    tracemalloc.start()
    result = execute(program, backend(), ExecutionContext())
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert result.error is not None and result.error.code == "over-cap"
    assert most < 200 * 2**20, "all hundred thousand of them take 10 GB"
