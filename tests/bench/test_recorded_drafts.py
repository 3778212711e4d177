"""What code makes of the drafts of a large model, recorded from its prompts (fixtures/wild)."""

from __future__ import annotations

from pathlib import Path

import pytest

from text2mem_bench.wild.cases import read_cases, read_drafts, read_stores
from text2mem_bench.wild.scoring import ByDrafts, score
from text2mem_bench.wild.world import worlds

WILD = Path(__file__).parents[2] / "fixtures" / "wild"
WRONG = {
    ("en", "dev"): {"offaly-haulier-04", "opelika-kitchen-05"},
    ("zh", "dev"): {"shenyang-guan-06", "chengdu-mianguan-08"},
    ("en", "people.dev"): {"en-g2-7", "en-g3-7", "en-h2-3", "en-h3-8"},
    ("zh", "people.dev"): {"zh-g2-1", "zh-g3-5", "zh-h2-5"},
    ("en", "days.dev"): {"en-k2-2", "en-k5-4", "en-k6-6"},
    ("zh", "days.dev"): {"zh-k3-8", "zh-k4-1", "zh-k4-4", "zh-k4-8", "zh-k5-8"},
    ("en", "weeks.dev"): {"en-w3-1", "en-w5-2"},
    ("zh", "weeks.dev"): {"zh-w3-4", "zh-w4-1", "zh-w4-4"},
}
"""The cases that do not end right: read wrongly, or in a second answer, more than the language can
say, or found only by vectors."""


@pytest.mark.parametrize(("lang", "part"), WRONG)
def test_recorded_drafts_end_right(lang: str, part: str) -> None:
    stores = read_stores(WILD / f"{lang}.stores.{part}.jsonl")
    drafts = read_drafts(WILD / f"drafts.{part}.jsonl")
    cases = read_cases(WILD / f"{lang}.cases.{part}.jsonl", stores)
    with worlds() as copies:
        recorded = [case for case in cases if case.id in drafts]
        done = list(score(recorded, stores, copies, ByDrafts(drafts)))
    assert len(done) == (len(cases) if "." in part else 32)
    wrong = {each.case.id for each in done if not (each.verdict and each.verdict.right)}
    assert wrong == WRONG[lang, part]
