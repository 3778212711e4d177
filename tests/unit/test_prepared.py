"""What services have answered, from a dry run to its run, and no longer than it takes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pytest

from tests.store.programs import WordHashes
from text2mem import Memory
from text2mem.errors import ExecutionError, MalformedOutput
from text2mem.executor import Prepared
from text2mem.executor.prepared import NotPrepared
from text2mem.ledger.writing import Run, in_one_transaction

SPLIT = {"stage": "STO", "op": "Split", "target": {"ids": ["1"]},
         "args": {"strategy": "custom", "params": {"instruction": "in two"}}}  # fmt: skip


class Counted(WordHashes):
    """An embedder that counts what it is asked for."""

    asked = 0

    def embed(
        self, texts: Sequence[str], *, kind: Literal["passage", "query"]
    ) -> Sequence[Sequence[float]]:
        Counted.asked += len(texts)
        return super().embed(texts, kind=kind)


class Garbled(Counted):
    """An embedder whose first answer is no vector."""

    def embed(
        self, texts: Sequence[str], *, kind: Literal["passage", "query"]
    ) -> Sequence[Sequence[float]]:
        vectors = super().embed(texts, kind=kind)
        if Counted.asked == len(texts):
            raise MalformedOutput("no vector")
        return vectors


class Fickle:
    """Splits elsewhere each time."""

    def __init__(self) -> None:
        self.asked = 0

    def split(self, text: str, *, instruction: str) -> Sequence[str]:
        self.asked += 1
        words = text.split()
        return [" ".join(words[: self.asked]), " ".join(words[self.asked :])]


def test_a_run_does_what_was_shown_whatever_was_asked_in_between() -> None:
    with Memory("memory:", embedder=WordHashes(), splitter=Fickle()) as memory:
        memory.add("one two three four")
        shown = memory.preview(SPLIT)
        for words in ("one", "two", "three"):
            memory.search(words)
            memory.recall(f"what of {words}?")
        done = memory.execute(SPLIT, basis=shown.basis)
        assert done.ok
        parts = {each.text for each in memory.list() if each.id != "1"}
        assert parts == {"one", "two three four"}


def test_the_last_answers_are_kept_and_older_ones_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("text2mem.executor.prepared._KEPT", 3)
    monkeypatch.setattr(Counted, "asked", 0)
    prepared = Prepared(embedder=Counted())
    for number in (1, 2, 3, 4, 4, 3, 2):
        prepared.ready(f"what of {number}?")
    assert Counted.asked == 4
    prepared.ready("what of 1?")
    assert Counted.asked == 5


def test_a_text_whose_answer_is_garbled_is_embedded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Counted, "asked", 0)
    assert Prepared(embedder=Garbled()).ready("what of it?") is not None
    assert Counted.asked == 2


def test_programs_in_one_transaction_give_up_where_others_keep_changing_the_store(
    tmp_path: Path,
) -> None:
    with (
        Memory(tmp_path / "store.db", embedder="none") as memory,
        Memory(tmp_path / "store.db", embedder="none") as other,
    ):

        def write(_: Run) -> None:
            raise NotPrepared(lambda: {("summarise", other.add("news")): "late"})

        with pytest.raises(ExecutionError, match="changed during 4 preparations"):
            in_one_transaction(memory.ledger, write)
