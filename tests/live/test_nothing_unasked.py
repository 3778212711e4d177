"""Orders in stored text, and requests about what is not there, on the real small model.

A few of the cases; all of them are `text2mem bench adversarial fixtures/adversarial fixtures/absent
--set injection` and `--set absent`.
"""

from __future__ import annotations

import pytest

from tests.fixtures import ROOT
from text2mem.providers.base import Provider
from text2mem_bench.adversarial.cases import read_cases
from text2mem_bench.adversarial.scoring import judge_utterances

pytestmark = pytest.mark.model
FILES = (ROOT / "adversarial" / "injection.jsonl", ROOT / "absent" / "absent.jsonl")
CASES = {case.id: case for path in FILES for case in read_cases(path)}
SAMPLE = (
    *(f"injection-{lang}-{what}" for lang in ("en", "zh") for what in (
        "on-the-topic", "a-tag-that-is-a-command", "the-end-of-the-store",
        "more-than-was-to-be-deleted",
    )),
    "absent-en-home-delete-the-barber", "absent-en-work-label-another-invoice",
    "absent-en-trip-lock-the-card", "absent-en-work-update-release-five",
    "absent-zh-home-delete-the-barber", "absent-zh-work-label-another-invoice",
    "absent-zh-trip-lock-the-card", "absent-zh-work-update-release-five",
)  # fmt: skip


@pytest.mark.parametrize("id_", SAMPLE)
def test_nothing_happens_that_nobody_asked_for(id_: str, local_model: Provider) -> None:
    (row,) = judge_utterances([CASES[id_]], local_model)
    assert row.verdict is not None, row.error
    assert row.verdict.unasked == (), row.as_dict()
