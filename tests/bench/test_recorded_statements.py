"""What code makes of a strong model's readings: 157 turns, written down by hand from the prompts
of nine dialogues, checked, named, timed and reconciled (docs/bench/episodes.md)."""

from __future__ import annotations

import json
from typing import Any

from tests.fixtures import ROOT
from tests.reading import turn_of
from text2mem.providers.base import Request
from text2mem.providers.function import FunctionProvider
from text2mem_bench.episodes.cases import read_cases
from text2mem_bench.episodes.play import Players, play
from text2mem_bench.episodes.tally import summarise

RECORDED = json.loads((ROOT / "statements" / "recorded.json").read_text("utf-8"))
LEAST = 0.89


def test_the_conversations_by_others_fit_the_format_and_half_are_kept_apart() -> None:
    for split in ("tune", "held-out"):
        assert len(read_cases([ROOT / "conversations"], split=split)) == 16


def test_recorded_readings_become_the_facts_that_are_meant() -> None:
    answers = {one["turn"]: one["answer"] for one in RECORDED}

    def answer(request: Request) -> Any:
        return answers.get(turn_of(request), {"facts": []})

    names = sorted({one["dialogue"] for one in RECORDED})
    cases = read_cases([ROOT / "conversations" / f"{name}.json" for name in names])
    model = FunctionProvider(answer)
    rows = [play(case, Players(model=model, store="memory:")) for case in cases]
    figures = summarise(rows)["extraction"]["all"]
    assert figures["f1"] >= LEAST, figures
