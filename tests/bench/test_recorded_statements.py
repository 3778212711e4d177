"""What code makes of a strong model's readings, written down by hand from the prompts of thirteen
dialogues: checked, named, timed and reconciled (docs/bench/episodes.md)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.fixtures import ROOT
from tests.reading import turn_of
from text2mem.providers.base import Request
from text2mem.providers.function import FunctionProvider
from text2mem_bench.episodes.cases import read_cases
from text2mem_bench.episodes.play import Players, play
from text2mem_bench.episodes.tally import summarise

LEAST = {"recorded": 0.89, "recorded.later": 0.65}
"""The least F1 of each file. Of the later one more is filed under other names than the authors'
(docs/bench/episodes.md)."""


def test_the_conversations_by_others_fit_the_format_and_half_are_kept_apart() -> None:
    for split in ("tune", "held-out"):
        assert len(read_cases([ROOT / "conversations"], split=split)) == 16


@pytest.mark.parametrize("name", LEAST)
def test_recorded_readings_become_the_facts_that_are_meant(name: str) -> None:
    recorded = json.loads((ROOT / "statements" / f"{name}.json").read_text("utf-8"))
    answers = {one["turn"]: one["answer"] for one in recorded}

    def answer(request: Request) -> Any:
        return answers.get(turn_of(request), {"facts": []})

    dialogues = sorted({one["dialogue"] for one in recorded})
    cases = read_cases([ROOT / "conversations" / f"{each}.json" for each in dialogues])
    model = FunctionProvider(answer)
    rows = [play(case, Players(model=model, store="memory:")) for case in cases]
    found = summarise(rows)
    assert found["extraction"]["all"]["f1"] >= LEAST[name], found["extraction"]["all"]
    assert found["shares"]["dates"]["share"] >= 0.95, found["shares"]["dates"]
