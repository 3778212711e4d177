"""What the small model learns to write of a memory that changes: stretches, and their new words."""

from __future__ import annotations

import json
from collections import defaultdict

import pytest

from text2mem.editing.edit import Exchange
from training import edits
from training.edits import applied, edits_between
from training.rows import DATA


@pytest.mark.parametrize(
    ("old", "new", "pairs"),
    [
        ("Ferry at 7:40, pier 2", "Ferry at 7:40, pier 6", [["2", "6"]]),
        ("Milk, coffee, eggs", "Milk, eggs", [[", coffee,", ","]]),
        ("Milk, coffee, eggs", "Milk, coffee, eggs, okra", [["eggs", "eggs, okra"]]),
        ("Gate 3, then gate 3 again", "Gate 5, then gate 3 again", [["Gate 3", "Gate 5"]]),
        ("Offer: 58k, start 3 March", "Offer: 61k, start 17 March", [["58", "61"], ["3", "17"]]),
        ("豆皮、藕、冻豆腐", "豆皮、冻豆腐", [["皮、藕", "皮"]]),
        ("周六上午", "周五上午", [["周六", "周五"]]),
        ("nothing like it", "Quite another note", [["", "Quite another note"]]),
        ("as it was", "as it was", []),
    ],
)
def test_the_stretches_that_differ(old: str, new: str, pairs: list[list[str]]) -> None:
    found = edits_between(old, new)
    assert [[each.old, each.new] for each in found] == pairs


def test_every_row_gives_the_text_that_its_author_wrote() -> None:
    meant = defaultdict(set)
    for path in sorted((DATA / "edits").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            meant[row["memory"], row["u"]].add(row["new"])
    seen = 0
    for store in edits.stores(seed=3):
        texts = {each.id: each.text for each in store.memories}
        for row in store.rows:
            ids = {id_ for hits in row.hits for id_ in hits}
            assert len(ids) == 1
            text = texts[ids.pop()]
            made = [
                Exchange(step.words("old"), step.words("new") or step.words("text"))
                for step in row.draft.steps
            ]
            assert {applied(text, made)} == meant[text, row.utterance]
            seen += 1
    assert seen > 1_700
