"""The words of a request stand in the log, for whoever said them, until what they touched is
erased."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from text2mem import Memory
from text2mem.executor.history import log
from text2mem.ir.context import ExecutionContext
from text2mem.program import Program
from text2mem.running import run_program
from text2mem.services.extractive import ExtractiveSummariser

OPEN = {"read_perm_level": "public", "write_perm_level": "open"}


def encode(text: str) -> dict[str, Any]:
    return {"stage": "ENC", "op": "Encode", "args": {"payload": {"text": text}, **OPEN}}


def erase(*ids: str) -> dict[str, Any]:
    return {"stage": "STO", "op": "Delete", "target": {"ids": list(ids)}, "args": {"soft": False}}


@pytest.fixture(params=["memory:", "file"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    store = "memory:" if request.param == "memory:" else str(tmp_path / "m.db")
    context = ExecutionContext(confirmed=True)
    with Memory(store, context=context, summariser=ExtractiveSummariser()) as opened:
        yield opened


def say(memory: Memory, words: str, *instances: dict[str, Any], actor: str | None = None) -> None:
    program = replace(Program.load(list(instances)), utterance=words)
    context = replace(memory.context, actor=actor)
    result = run_program(program, memory.adapter, context, memory._prepared)
    assert result.ok, result


def told(memory: Memory, actor: str | None = None) -> list[str]:
    context = replace(memory.context, actor=actor)
    return [program.said for program in log(memory.adapter, context)]


def test_the_log_keeps_what_was_said(memory: Memory) -> None:
    say(memory, "keep the plumber's number", encode("plumber 0470 11"))
    memory.execute([encode("by hand")])
    assert told(memory) == ["", "keep the plumber's number"]
    assert memory.log()[1].as_dict()["said"] == "keep the plumber's number"
    assert "said" not in memory.log()[0].as_dict()


def test_it_is_for_whoever_said_it(memory: Memory) -> None:
    say(memory, "keep the bikes", encode("the bikes are in the shed"), actor="bob")
    assert told(memory, "ana") == [""]
    assert told(memory, "bob") == ["keep the bikes"]


def test_what_is_erased_takes_the_words_along(memory: Memory) -> None:
    say(memory, "keep code 4711 and the bikes", encode("code 4711"), encode("bikes"))
    say(memory, "note the boat", encode("the boat"))
    say(memory, "erase the code 4711 for good", erase("1"))
    assert told(memory) == ["", "note the boat", ""]


def test_a_program_that_erases_leaves_no_words_whatever_else_it_does(memory: Memory) -> None:
    say(memory, "note the boat", encode("the boat"))
    say(memory, "erase the boat, keep the oars", encode("oars"), erase("1"), encode("paddle"))
    assert told(memory) == ["", ""]


def test_no_byte_of_them_is_left_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with Memory(str(path), context=ExecutionContext(confirmed=True)) as memory:
        say(memory, "keep zanzibar", encode("something"))
        memory.execute([erase("1")])
    assert all(b"zanzibar" not in each.read_bytes() for each in tmp_path.iterdir())


def test_an_undo_has_no_words_of_its_own(memory: Memory) -> None:
    say(memory, "note the boat", encode("the boat"))
    memory.undo_last()
    assert told(memory) == ["", "note the boat"]
