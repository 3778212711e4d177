"""The count of words for times that code cannot read."""

from __future__ import annotations

from text2mem.planner.draft import Draft, Step
from training.times import unread


def test_words_that_name_no_time_are_counted_by_slot_and_language() -> None:
    said, left = unread([
        Draft((Step("Promote", {"ids": ["1"], "remind": "every Friday at 9"}),)),
        Draft((Step("Promote", {"ids": ["1"], "remind": "when she is back"}),)),
        Draft((Step("Demote", {"ids": ["1"], "until": "等她回来"}),)),
    ])  # fmt: skip
    assert said == {"remind en": 2, "until zh": 1}
    assert left == {"remind en": {"when she is back": 1}, "until zh": {"等她回来": 1}}
