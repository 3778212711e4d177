"""What services have answered, from a dry run to its run, and no longer than it takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import pytest

from tests.store.programs import WordHashes
from text2mem import Memory
from text2mem.executor import Prepared, services

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
    monkeypatch.setattr(services, "_KEPT", 3)
    monkeypatch.setattr(Counted, "asked", 0)
    prepared = Prepared(embedder=Counted())
    for number in (1, 2, 3, 4, 4, 3, 2):
        prepared.ready(f"what of {number}?")
    assert Counted.asked == 4
    prepared.ready("what of 1?")
    assert Counted.asked == 5
